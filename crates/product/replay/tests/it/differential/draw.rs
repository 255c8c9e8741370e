//! Random workloads of few sessions, each with few statements over tables with two possible rows.

use serval_testkit::random::SplitMix64;

/// A workload that was drawn: its files, and which scripts are performed together, one session each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    /// What the schema says beside the tables and rows.
    pub(super) level: &'static str,
    pub(super) schema: Vec<String>,
    /// The scripts, line by line; each is performed by one session.
    pub(super) scripts: Vec<Vec<String>>,
    /// The level of each script, where they have several.
    pub(super) levels: Vec<&'static str>,
}

impl Drawn {
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![("schema.sql".to_owned(), self.schema.join("\n"))];
        let script = |(number, lines): (usize, &Vec<String>)| (format!("s{}.sql", number + 1), lines.join("\n"));
        files.extend(self.scripts.iter().enumerate().map(script));
        let mut settings = format!("isolation {}\nshared 3", self.level);
        for (number, level) in self.levels.iter().enumerate().take(self.scripts.len()) {
            settings.push_str(&format!("\nlevel {level} s{}", number + 1));
        }
        files.push(("settings".to_owned(), settings));
        files
    }

    /// The workload without one of its lines, in all ways.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for script in (0..self.scripts.len()).filter(|_| self.scripts.len() > 1) {
            let mut less = self.clone();
            less.scripts.remove(script);
            if less.levels.len() > script {
                less.levels.remove(script);
            }
            all.push(less);
        }
        for (script, lines) in self.scripts.iter().enumerate() {
            for line in (0..lines.len()).filter(|line| !["BEGIN", "COMMIT", "ROLLB"].iter().any(|word| lines[*line].starts_with(word))) {
                let mut less = self.clone();
                less.scripts[script].remove(line);
                all.push(less);
            }
        }
        all
    }
}

pub(super) const LEVELS: [&str; 3] = ["read committed", "repeatable read", "mixed"];

const TABLES: [&str; 6] = [
    "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);",
    "-- serval: range t.id 1..2",
    "-- serval: range t.n 0..3 wrap",
    "CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL CHECK (v BETWEEN 0 AND 1));",
    "CREATE TABLE h (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m int NOT NULL CHECK (m BETWEEN 0 AND 2));",
    "-- serval: rows h 3",
];

const FAMILY: [&str; 5] = [
    "CREATE TABLE p (id int PRIMARY KEY, n int NOT NULL CHECK (n BETWEEN 0 AND 2));",
    "INSERT INTO p VALUES (1, 0), (2, 0);",
    "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p (id));",
    "-- serval: range c.id 1..2",
    "INSERT INTO c VALUES (1, 2);",
];

pub(super) fn drawn(seed: u64, level: &'static str) -> Drawn {
    let mut rng = SplitMix64::new(seed);
    let mut schema: Vec<String> = TABLES.iter().map(|line| (*line).to_owned()).collect();
    schema.push(
        rng.pick(&["INSERT INTO t VALUES (1, 0), (2, 1);", "INSERT INTO t VALUES (1, 0), (2, 1);", "INSERT INTO t VALUES (1, 1);"])
            .to_owned(),
    );
    schema.push("INSERT INTO u VALUES (1, 0);".to_owned());
    // Some workloads insert, and some delete: what both do is told apart.
    let is_mixed = level == LEVELS[2];
    let inserts = rng.chance(50);
    let numbered = seed % 7 == 3;
    let shares = seed % 7 == 5 && !is_mixed;
    let family = seed % 7 == 6 && !is_mixed;
    if family {
        schema.extend(FAMILY.map(str::to_owned));
    }
    let tables = seed.is_multiple_of(7) && !is_mixed;
    let forms = Forms {
        inserts,
        deletes: rng.chance(40) && !(is_mixed && (inserts || numbered)),
        many: rng.chance(50),
        numbered,
        shares,
        family,
        tables,
        level,
    };
    let count = if rng.chance(55) { 2 } else { 3 };
    let scripts: Vec<Vec<String>> = (0..count).map(|_| script(&mut rng, &forms, if count == 2 { 3 } else { 2 })).collect();
    // A row for each INSERT, so that the server cannot have more than the model.
    let numbered_rows = scripts.iter().flatten().filter(|line| line.starts_with("INSERT INTO h")).count();
    for line in schema.iter_mut().filter(|line| line.starts_with("-- serval: rows h")) {
        *line = format!("-- serval: rows h {}", numbered_rows.max(3));
    }
    let first = usize::from(rng.chance(50));
    let levels = (0..count).filter(|_| is_mixed).map(|number| LEVELS[(first + number) % 2]).collect();
    Drawn { level: if is_mixed { LEVELS[0] } else { level }, schema, scripts, levels }
}

struct Forms {
    inserts: bool,
    deletes: bool,
    many: bool,
    /// Rows of which the server chooses the keys.
    numbered: bool,
    /// Locks that several hold.
    shares: bool,
    /// Parents and children.
    family: bool,
    /// LOCK TABLE.
    tables: bool,
    level: &'static str,
}

fn script(rng: &mut SplitMix64, forms: &Forms, most: usize) -> Vec<String> {
    let count = 1 + rng.below(most);
    let mut lines: Vec<String> = (0..count).map(|_| statement(rng, forms)).collect();
    let lock = forms.tables && rng.chance(60);
    if lock {
        let mode = rng.pick(&["ACCESS EXCLUSIVE", "EXCLUSIVE", "SHARE ROW EXCLUSIVE", "SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE"]);
        let wait = if forms.level == LEVELS[0] && rng.chance(25) { " NOWAIT" } else { "" };
        // Above READ COMMITTED it comes first.
        let at = if forms.level == LEVELS[0] { rng.below(lines.len()) } else { 0 };
        lines.insert(at, format!("LOCK TABLE t IN {mode} MODE{wait};"));
    }
    if lock || count > 1 || rng.chance(60) {
        lines.insert(0, "BEGIN;".to_owned());
        lines.push(if rng.chance(85) { "COMMIT;" } else { "ROLLBACK;" }.to_owned());
    }
    lines
}

fn statement(rng: &mut SplitMix64, forms: &Forms) -> String {
    let (id, n, m) = (1 + rng.below(2), rng.below(3), rng.below(3));
    let is_committed = forms.level == LEVELS[0];
    if forms.numbered && rng.chance(50) {
        return match rng.below(if forms.deletes { 5 } else { 4 }) {
            0 | 1 => format!("INSERT INTO h (m) VALUES ({n});"),
            2 => "SELECT count(*), sum(m) FROM h;".to_owned(),
            3 => format!("UPDATE h SET m = {n} WHERE m = {m};"),
            _ => format!("DELETE FROM h WHERE m = {n};"),
        };
    }
    let wait = if is_committed && rng.chance(25) { rng.pick(&[" NOWAIT", " SKIP LOCKED"]) } else { "" };
    if forms.shares && rng.chance(50) {
        let strength = rng.pick(&["SHARE", "SHARE", "KEY SHARE", "NO KEY UPDATE"]);
        return match rng.below(3) {
            0 => format!("SELECT n FROM t WHERE n >= {n} ORDER BY id FOR {strength}{wait};"),
            1 if forms.deletes => format!("DELETE FROM t WHERE id = {id};"),
            _ => format!("SELECT n FROM t WHERE id = {id} FOR {strength}{wait};"),
        };
    }
    if forms.family && rng.chance(85) {
        let child = 1 + rng.below(2);
        return match rng.below(13) {
            0 | 1 => format!("INSERT INTO c VALUES ({child}, {id});"),
            2 => format!("INSERT INTO c VALUES ({child}, {id}) ON CONFLICT DO NOTHING;"),
            3..=5 => format!("DELETE FROM p WHERE id = {id};"),
            6 => format!("DELETE FROM c WHERE id = {child};"),
            7 => format!("UPDATE c SET p = {id} WHERE id = {child};"),
            8 => "SELECT count(*) FROM c;".to_owned(),
            9 => format!("SELECT p FROM c WHERE id = {child} FOR UPDATE;"),
            10 => format!("SELECT n FROM p WHERE id = {id} FOR {};", rng.pick(&["UPDATE", "KEY SHARE", "SHARE"])),
            11 if is_committed => format!("INSERT INTO p VALUES ({id}, {n}) ON CONFLICT DO NOTHING;"),
            _ => format!("UPDATE p SET n = {n} WHERE id = {id};"),
        };
    }
    loop {
        return match rng.below(18) {
            0 => format!("SELECT n FROM t WHERE id = {id};"),
            1 => "SELECT sum(n), count(*) FROM t;".to_owned(),
            2 => format!("SELECT n FROM t WHERE id = {id} FOR UPDATE{wait};"),
            3 => format!("UPDATE t SET n = n + 1 WHERE id = {id};"),
            4 => format!("UPDATE t SET n = {n} WHERE id = {id} AND n = {m};"),
            5 => format!("UPDATE t SET n = n + 1 WHERE id = {id} RETURNING n;"),
            6 if forms.many => "UPDATE t SET n = n + 1;".to_owned(),
            7 if forms.many => format!("UPDATE t SET n = n + 1 WHERE n = {n};"),
            8 if forms.many => format!("SELECT id, n FROM t WHERE n >= {n} ORDER BY id FOR UPDATE{wait};"),
            9 if forms.deletes => format!("DELETE FROM t WHERE id = {id};"),
            10 if forms.deletes && forms.many => format!("DELETE FROM t WHERE n = {n};"),
            11 if forms.inserts => format!("INSERT INTO t VALUES ({id}, {n});"),
            12 if forms.inserts => format!("INSERT INTO t VALUES ({id}, {n}) ON CONFLICT DO NOTHING;"),
            13 if forms.inserts => format!("INSERT INTO t VALUES ({id}, {n}) ON CONFLICT (id) DO UPDATE SET n = t.n + 1 RETURNING n;"),
            14 if forms.inserts => {
                format!("INSERT INTO t VALUES ({id}, {n}) ON CONFLICT (id) DO UPDATE SET n = excluded.n WHERE t.n = {m};")
            }
            15 => "SELECT v FROM u WHERE k = 1;".to_owned(),
            16 => "UPDATE u SET v = v + 1 WHERE k = 1;".to_owned(),
            17 if rng.chance(40) => format!("SELECT pg_advisory_xact_lock({id});"),
            _ => continue,
        };
    }
}
