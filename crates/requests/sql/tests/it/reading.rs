//! Schemas and scripts to typed workloads, and the messages about what is wrong.

use serval_sql::{Bounds, ItemKind, Reading, StatementKind, Strength, bundle, read};

fn reading(files: &[(&str, &str)]) -> Reading {
    let files: Vec<(String, String)> = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    read(&bundle(&files))
}

const SCHEMA: &str = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, owner text);
INSERT INTO accounts VALUES (1, 1, 'ada'), (2, 1, 'bob');
-- serval: range accounts.balance 0..2 wrap
";

#[test]
fn what_pg_dump_writes_is_read() {
    let dump = "SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.accounts (
    id integer NOT NULL,
    balance integer DEFAULT 0 NOT NULL,
    CONSTRAINT c CHECK (((balance >= 0) AND (balance <= 3)))
);
ALTER TABLE public.accounts OWNER TO postgres;
CREATE SEQUENCE public.accounts_id_seq AS integer START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER SEQUENCE public.accounts_id_seq OWNED BY public.accounts.id;
ALTER TABLE ONLY public.accounts ALTER COLUMN id SET DEFAULT nextval('public.accounts_id_seq'::regclass);
ALTER TABLE ONLY public.accounts ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
CREATE INDEX i ON public.accounts USING btree (balance);
";
    let found = reading(&[("schema.sql", dump), ("a.sql", "UPDATE accounts SET balance = 1;")]);
    let workload = found.workload.unwrap_or_else(|| panic!("{:#?}", found.diagnostics));
    let table = &workload.tables[0];
    assert_eq!(table.primary.as_deref(), Some(&[serval_sql::ColumnId(0)][..]));
    assert!(table.columns[0].generated);
    assert!(matches!(table.columns[1].bounds, Some(Bounds { low: 0, high: 3, .. })));
}

#[test]
fn scripts_have_sections_parameters_and_variables() {
    let script = "-- name: transfer :exec
\\set amount random(1, 2)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT balance AS b FROM accounts WHERE id = $1 FOR NO KEY UPDATE \\gset seen_
\\if :seen_b >= :amount
UPDATE accounts SET balance = :seen_b - :amount WHERE id = $1;
\\endif
COMMIT;
-- name: look
SELECT sum(balance) FROM accounts;
";
    let found = reading(&[("schema.sql", SCHEMA), ("bank.sql", script)]);
    let workload = found.workload.unwrap_or_else(|| panic!("{:#?}", found.diagnostics));
    let [transfer, look] = workload.scripts.as_slice() else { panic!() };
    let names: Vec<&str> = transfer.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!((names, transfer.variables.as_slice()), (vec!["amount", "1"], &["seen_b".to_owned()][..]));
    let ItemKind::Statement(select) = &transfer.body[1].kind else { panic!() };
    let StatementKind::Select(kind) = &select.kind else { panic!() };
    assert_eq!(kind.lock.map(|lock| lock.strength), Some(Strength::NoKeyUpdate));
    assert_eq!(select.into.as_deref(), Some(&[0][..]));
    assert_eq!(look.name, "look");
}

#[test]
fn what_is_not_modelled_is_named() {
    let cases = [
        ("SELECT 1 FROM accounts a JOIN accounts b ON a.id = b.id;", "E0702", "a join"),
        ("WITH x AS (SELECT 1) SELECT * FROM x;", "E0702", "WITH"),
        ("UPDATE accounts SET balance = 1 FROM accounts b;", "E0702", "UPDATE … FROM"),
        ("INSERT INTO accounts SELECT * FROM accounts;", "E0702", "INSERT … SELECT"),
        ("SAVEPOINT a;", "E0702", "SAVEPOINT"),
        ("SELECT sum(balance) FROM accounts FOR UPDATE;", "E0702", "0A000"),
        ("SELECT balance FROM acounts;", "E0703", "`acounts`"),
        ("SELECT balanse FROM accounts;", "E0703", "`balanse`"),
        ("SELEC 1;", "E0701", "no SQL"),
        ("SELECT 'a;", "E0701", "never closed"),
        ("\\copy a from b", "E0707", "\\copy"),
        ("\\if :x\nSELECT 1;", "E0707", "\\endif"),
        ("-- serval: parm x 1..2\nSELECT 1;", "E0706", "parm"),
    ];
    for (text, code, part) in cases {
        let found = reading(&[("schema.sql", SCHEMA), ("a.sql", text)]);
        assert!(found.workload.is_none(), "{text}");
        let said = found.diagnostics.iter().any(|d| d.code.0 == code && d.message.contains(part));
        assert!(said, "{text}: {:?}", found.diagnostics);
        assert!(found.diagnostics.iter().all(|d| d.expected.is_some() && d.help.is_some()), "{text}");
    }
}

#[test]
fn settings_give_scripts_levels_and_leave_them_out() {
    let scripts = [("a.sql", "BEGIN; UPDATE accounts SET balance = 0; COMMIT;"), ("b.sql", "SELECT balance FROM accounts;")];
    let with = |settings: &str| reading(&[("schema.sql", SCHEMA), scripts[0], scripts[1], ("settings", settings)]);
    let levels = |settings: &str| serval_sql::levels(&with(settings).workload.unwrap());
    use serval_sql::Isolation::{ReadCommitted, RepeatableRead, Serializable};
    assert_eq!(levels("isolation serializable\nlevel repeatable read a"), [RepeatableRead, Serializable]);
    assert_eq!(levels("level repeatable read a\nlevel read committed a"), [ReadCommitted]);
    assert_eq!(levels("level repeatable read a\nwithout a"), [ReadCommitted]);
    assert_eq!(levels("level repeatable read a\nforce serializable"), [Serializable]);
    let made = serval_sql::translate(&with("without a").workload.unwrap(), serval_sql::Form::Exact).unwrap();
    let names: Vec<&str> = made.program.requests.iter().map(|request| request.name.as_str()).collect();
    // Its balance varies all the same: rows and values are those of all scripts.
    assert_eq!((names, made.program.globals.is_empty()), (vec!["b"], false));
    for (settings, said) in [("level repeatable read aa", "there is no script `aa`"), ("level high a", "`level high a` is not understood")]
    {
        let found = with(settings);
        assert!(found.diagnostics.iter().any(|diagnostic| diagnostic.message.contains(said)), "{:#?}", found.diagnostics);
    }
}

#[test]
fn a_transaction_that_only_reads_writes_nothing() {
    for (script, is_right) in [
        ("BEGIN READ ONLY; UPDATE accounts SET balance = 1 WHERE id = 1; COMMIT;", false),
        ("BEGIN; SET TRANSACTION READ ONLY; SELECT balance FROM accounts WHERE id = 1 FOR SHARE; COMMIT;", false),
        ("BEGIN READ ONLY; SELECT balance FROM accounts WHERE id = 1; COMMIT;", true),
        ("BEGIN READ ONLY; COMMIT; UPDATE accounts SET balance = 1 WHERE id = 1;", true),
    ] {
        let found = reading(&[("schema.sql", SCHEMA), ("a.sql", script)]);
        assert_eq!(found.workload.is_some(), is_right, "{script}");
        assert_eq!(found.diagnostics.iter().any(|one| one.message.contains("25006")), !is_right, "{:?}", found.diagnostics);
    }
}
