//! Workloads that the translation once had wrong, in all orders on a server. What they have in common is a constraint
//! about columns that no script looks at, or the moment at which a server looks at it.

use serval_sql::{Form, bundle, read, translate};
use serval_testkit::{postgres, say};

use super::draw::{Drawn, LEVELS};
use super::{Compared, compared, modelled, workload};
use crate::support::side_by_side;

const PARENT: &str = "CREATE TABLE p (id int PRIMARY KEY, n int NOT NULL); INSERT INTO p VALUES (1, 0), (2, 0);
-- serval: range p.n 0..3 wrap";
const CHILD: &str = "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p (id));
-- serval: range c.id 1..2";
const TWO_TABLES: &str = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL); INSERT INTO t VALUES (1, 3);
CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL CHECK (v BETWEEN 0 AND 1)); INSERT INTO u VALUES (1, 0);
-- serval: range t.id 1..1
-- serval: range t.n 0..3 wrap";

struct Kept {
    name: &'static str,
    schema: &'static [&'static str],
    scripts: &'static [&'static [&'static str]],
    /// What some order answers, so that a case is about what its name says.
    some: &'static str,
}

const KEPT: &[Kept] = &[
    Kept {
        name: "a reference that no script looks at finds its parent",
        schema: &[PARENT, CHILD],
        scripts: &[&["INSERT INTO c VALUES (1, 1);"], &["SELECT count(*) FROM c;"]],
        some: "[Some(\"1\")]",
    },
    Kept {
        name: "a reference that no script looks at and that has no parent",
        schema: &[PARENT, CHILD],
        scripts: &[&["INSERT INTO c VALUES (1, 7);"], &["SELECT count(*) FROM c;"]],
        some: "error 23503",
    },
    Kept {
        name: "rows of one INSERT refer to each other",
        schema: &["CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES c (id));", "-- serval: range c.id 1..2"],
        scripts: &[&["INSERT INTO c VALUES (1, 2), (2, NULL);"], &["SELECT count(*) FROM c;"]],
        some: "[Some(\"2\")]",
    },
    Kept {
        name: "NULL where a column that no script looks at cannot be NULL",
        schema: &["CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);", "-- serval: range t.id 1..2"],
        scripts: &[
            &["INSERT INTO t (id) VALUES (1);"],
            &["INSERT INTO t VALUES (2, NULL) ON CONFLICT DO NOTHING;"],
            &["SELECT count(*) FROM t;"],
        ],
        some: "error 23502",
    },
    Kept {
        name: "NULL that is computed, where a column that no script looks at cannot be NULL",
        schema: &[
            "CREATE TABLE t (id int PRIMARY KEY, n int, m int NOT NULL);",
            "INSERT INTO t VALUES (1, NULL, 0), (2, 1, 0);",
            "-- serval: range t.n 0..3 wrap",
        ],
        scripts: &[&["UPDATE t SET m = n WHERE id = 1;"], &["UPDATE t SET n = 2 WHERE id = 1;"]],
        some: "error 23502",
    },
    Kept {
        name: "a value beyond CHECK of a column that no script looks at",
        schema: &["CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 2));", "-- serval: range t.id 1..2"],
        scripts: &[&["INSERT INTO t VALUES (1, 7);"], &["SELECT count(*) FROM t;"]],
        some: "error 23514",
    },
    Kept {
        name: "CHECK comes before a key that is there",
        schema: &[
            "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL, CHECK (n < m));",
            "INSERT INTO t VALUES (1, 0, 1);",
            "-- serval: range t.id 1..2",
            "-- serval: range t.n 0..3",
            "-- serval: range t.m 0..3",
        ],
        scripts: &[
            &["INSERT INTO t VALUES (1, 2, 1) ON CONFLICT DO NOTHING;"],
            &["INSERT INTO t VALUES (1, 1, 1);"],
            &["DELETE FROM t WHERE id = 1;"],
        ],
        some: "error 23514",
    },
    Kept {
        name: "CHECK of a text that no script looks at",
        schema: &[
            "CREATE TABLE t (id int PRIMARY KEY, state text NOT NULL CHECK (state IN ('open', 'done')));",
            "INSERT INTO t VALUES (1, 'open');",
            "-- serval: range t.id 1..2",
        ],
        scripts: &[&["INSERT INTO t VALUES (1, 'gone') ON CONFLICT DO NOTHING;"], &["INSERT INTO t VALUES (2, 'done');"]],
        some: "error 23514",
    },
    Kept {
        name: "NULL is refused before a value beyond CHECK",
        schema: &["CREATE TABLE t (id int PRIMARY KEY, n int CHECK (n BETWEEN 0 AND 2), m int NOT NULL);", "-- serval: range t.id 1..2"],
        scripts: &[&["INSERT INTO t VALUES (1, 7, NULL);"], &["SELECT n FROM t WHERE id = 1;"]],
        some: "error 23502",
    },
    Kept {
        name: "a lock of a table before the snapshot protects what is read then",
        schema: &["CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 2)); INSERT INTO t VALUES (1, 0), (2, 0);"],
        scripts: &[
            &["BEGIN;", "LOCK TABLE t IN EXCLUSIVE MODE;", "SELECT sum(n) FROM t;", "UPDATE t SET n = 1 WHERE id = 1;", "COMMIT;"],
            &["BEGIN;", "LOCK TABLE t IN SHARE MODE;", "SELECT sum(n) FROM t;", "UPDATE t SET n = 1 WHERE id = 2;", "COMMIT;"],
        ],
        some: "[Some(\"1\")]",
    },
    Kept {
        name: "one who has a snapshot waits for a table that is locked",
        schema: &["CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 2)); INSERT INTO t VALUES (1, 0), (2, 0);"],
        scripts: &[
            &["BEGIN;", "LOCK TABLE t;", "UPDATE t SET n = n + 1;", "COMMIT;"],
            &["BEGIN;", "SELECT n FROM t WHERE id = 1;", "SELECT n FROM t WHERE id = 2 FOR UPDATE;", "COMMIT;"],
        ],
        some: "[Some(\"1\")]",
    },
    Kept {
        name: "a statement that fails at its second row tells none",
        schema: &["CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 1));", "INSERT INTO t VALUES (1, 0), (2, 1);"],
        scripts: &[&["BEGIN;", "UPDATE t SET n = n + 1 WHERE n >= 0 RETURNING id, n;", "COMMIT;"], &["UPDATE t SET n = 0 WHERE id = 2;"]],
        some: "Answered { rows: {}, outcomes: [\"error 23514\"] }",
    },
    Kept {
        name: "a statement that fails at its end by a foreign key tells nothing",
        schema: &[PARENT, CHILD, "INSERT INTO c VALUES (2, 2);"],
        scripts: &[
            &["INSERT INTO c VALUES (1, 1) RETURNING p;"],
            &["DELETE FROM p WHERE id = 1 RETURNING n;"],
            &["UPDATE c SET p = 1 WHERE id = 2 RETURNING p;"],
        ],
        some: "Answered { rows: {}, outcomes: [\"error 23503\"] }",
    },
    Kept {
        name: "one who looks at several tables sees one moment",
        schema: &[
            "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 2)); INSERT INTO t VALUES (1, 0);",
            "CREATE TABLE h (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m int CHECK (m BETWEEN 0 AND 2));",
            "-- serval: observe",
        ],
        scripts: &[
            &["BEGIN;", "UPDATE t SET n = 1 WHERE id = 1;", "INSERT INTO h (m) VALUES (2);", "COMMIT;"],
            &["DELETE FROM t WHERE n = 1;"],
        ],
        some: "[Some(\"2\")]",
    },
    Kept {
        name: "three who want to change one row",
        schema: &["CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 3)); INSERT INTO t VALUES (1, 0);"],
        scripts: &[
            &["BEGIN;", "UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n;", "ROLLBACK;"],
            &["UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n;"],
            &["UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n;"],
            &["UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n;"],
        ],
        some: "[Some(\"3\")]",
    },
    Kept {
        name: "rows at which no script looks come in any number",
        schema: &[PARENT, "CREATE TABLE log (id serial PRIMARY KEY, p int REFERENCES p (id), n int CHECK (n < 3));"],
        scripts: &[
            &["BEGIN;", "INSERT INTO log (p, n) VALUES (1, 1), (1, 2);", "UPDATE p SET n = n + 1 WHERE id = 1 RETURNING n;", "COMMIT;"],
            &["BEGIN;", "UPDATE p SET n = n + 1 WHERE id = 1 RETURNING n;", "INSERT INTO log (p, n) VALUES (2, 0) RETURNING n;", "COMMIT;"],
            &["SELECT n FROM p WHERE id = 1 FOR UPDATE;"],
        ],
        some: "[Some(\"2\")]",
    },
    Kept {
        name: "a row at which no script looks has no parent, or a value that it cannot have",
        schema: &[PARENT, "CREATE TABLE log (id serial PRIMARY KEY, p int REFERENCES p (id), n int CHECK (n < 3));"],
        scripts: &[
            &["BEGIN;", "UPDATE p SET n = n + 1 WHERE id = 1 RETURNING n;", "INSERT INTO log (p) VALUES (3);", "COMMIT;"],
            &["BEGIN;", "UPDATE p SET n = n + 1 WHERE id = 1 RETURNING n;", "INSERT INTO log (p, n) VALUES (2, 3);", "COMMIT;"],
            &["SELECT n FROM p WHERE id = 1;"],
        ],
        some: "error 23503",
    },
];

/// At REPEATABLE READ only: at READ COMMITTED there are too many orders.
const ABOVE: &[Kept] = &[
    Kept {
        name: "of two who wait with an old snapshot for a key that is deleted one is rolled back",
        schema: &[TWO_TABLES],
        scripts: &[
            &["BEGIN;", "DELETE FROM t WHERE id = 1;", "UPDATE u SET v = 1 WHERE k = 1;", "COMMIT;"],
            &["BEGIN;", "SELECT v FROM u WHERE k = 1;", "INSERT INTO t VALUES (1, 1) RETURNING n;", "ROLLBACK;"],
            &["INSERT INTO t VALUES (1, (SELECT v FROM u WHERE k = 1)) RETURNING n;"],
        ],
        some: "[Some(\"1\")]",
    },
    Kept {
        name: "one who waits for a key to be deleted, and one who has locked it before",
        schema: &[TWO_TABLES],
        scripts: &[
            &["BEGIN;", "DELETE FROM t WHERE id = 1;", "COMMIT;"],
            &["BEGIN;", "SELECT n FROM t WHERE id = 1 FOR UPDATE;", "UPDATE u SET v = 1 WHERE k = 1;", "COMMIT;"],
            &["INSERT INTO t VALUES (1, (SELECT v FROM u WHERE k = 1)) RETURNING n;"],
        ],
        some: "[Some(\"1\")]",
    },
];

fn drawn(kept: &Kept, level: &'static str) -> Drawn {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let scripts = kept.scripts.iter().map(|lines| owned(lines)).collect();
    Drawn { level, schema: owned(kept.schema), scripts, levels: Vec::new() }
}

/// All of them, each with its level.
fn kept() -> impl Iterator<Item = (&'static Kept, &'static str)> {
    let twice = KEPT.iter().flat_map(|kept| LEVELS[..2].iter().map(move |level| (kept, *level)));
    twice.chain(ABOVE.iter().map(|kept| (kept, LEVELS[1])))
}

/// Without a server: what the translation answers is what the name of the case says.
#[test]
fn what_was_once_wrong_is_answered() {
    for (kept, level) in kept() {
        let (workload, translation, _) = workload(&drawn(kept, level)).unwrap_or_else(|| panic!("{}: not modelled", kept.name));
        let seen = format!("{:?}", modelled(&workload, &translation).unwrap());
        assert!(seen.contains(kept.some), "{} at {level}: {seen}", kept.name);
    }
}

#[test]
fn what_was_once_wrong_is_as_on_a_server() {
    let Some(server) = postgres() else { return };
    let (addresses, _guard) = side_by_side(server, 2);
    let (mut orders, mut failed) = (0, Vec::new());
    for (kept, level) in kept() {
        match compared(&drawn(kept, level), &addresses) {
            Compared::Equal { orders: performed } => orders += performed,
            Compared::Large | Compared::Outside => failed.push(format!("{} at {level}: not compared", kept.name)),
            Compared::Different(told) => failed.push(format!("{} at {level}: {told}", kept.name)),
        }
    }
    say(&format!("kept workloads: {} with their levels in {orders} orders", kept().count()));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn requests(schema: &str, script: &str) -> Result<Vec<String>, String> {
    let files = [("schema.sql".to_owned(), schema.to_owned()), ("s.sql".to_owned(), script.to_owned())];
    let workload = read(&bundle(&files)).workload.ok_or("not read")?;
    let translation = translate(&workload, Form::Exact).map_err(|found| found.iter().map(|one| one.message.clone()).collect::<String>())?;
    Ok(translation.origins.into_iter().map(|origin| origin.request).collect())
}

/// A parameter that goes into a column which no script looks at, and into one that scripts look at, has the values of
/// the latter; one that the client looks at needs values.
#[test]
fn a_parameter_has_the_values_of_what_is_looked_at() {
    let schema = "CREATE TABLE log (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, amount int NOT NULL);
        CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL); INSERT INTO t VALUES (1, 0);
        -- serval: range t.n 0..2 wrap";
    let both = "BEGIN; INSERT INTO log (amount) VALUES (:x); UPDATE t SET n = n - :x WHERE id = 1; COMMIT;";
    assert_eq!(requests(schema, both).unwrap(), ["s(x=0)", "s(x=1)", "s(x=2)"]);
    let alone = "INSERT INTO log (amount) VALUES (:x);";
    assert_eq!(requests(schema, alone).unwrap(), ["s(x=0)"]);
    let client = "INSERT INTO log (amount) VALUES (:x);\n\\if :x > 1\nUPDATE t SET n = 0 WHERE id = 1;\n\\endif\n";
    assert!(requests(schema, client).unwrap_err().contains("the values of parameter `x` are not known"));
}

/// A key that the server chooses can be there if a script writes it.
#[test]
fn a_key_that_a_script_writes_is_followed() {
    let schema = "CREATE TABLE t (id serial PRIMARY KEY, n int NOT NULL); -- serval: range t.n 0..2";
    assert_eq!(requests(schema, "INSERT INTO t (n) VALUES (1);").unwrap(), ["s"]);
    for script in ["INSERT INTO t (id, n) VALUES (1, 1);", "UPDATE t SET id = 2 WHERE n = 1;"] {
        let told = requests(schema, script).unwrap_err();
        assert!(told.contains("a value for a key that the server chooses") || told.contains("UPDATE of the key"), "{told}");
    }
}
