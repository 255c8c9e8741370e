//! Handlers of Express, Fastify and Koa, from the file to the test that is written of a run: what counts as a refusal
//! counts as one everywhere, and a verdict says what it leaves out.

use std::path::Path;
use std::process::Command;

use crate::handlers::built::has_node;
use crate::support::{command, directory, text};

const EXPRESS: &str = "import express from 'express';\nimport { mail } from './mail.js';\nconst app = express();\nlet busy = false;\n/** @serval 0..3 wrap */\nlet n = 0;\n";
const FASTIFY: &str = "import Fastify from 'fastify';\nimport { mail } from './mail.js';\nconst app = Fastify();\nlet busy = false;\n/** @serval 0..3 wrap */\nlet n = 0;\n";
const KOA: &str = "import Router from '@koa/router';\nimport { mail } from './mail.js';\nconst router = new Router();\nlet busy = false;\n/** @serval 0..3 wrap */\nlet n = 0;\n";

/// What is done where it is free, and the end.
const EXPRESS_WORK: &str = "busy = true;\n  try {\n    await mail.go();\n    res.send('ok');\n  } finally {\n    busy = false;\n  }";
const FASTIFY_WORK: &str = "busy = true;\n  try {\n    await mail.go();\n    return { ok: true };\n  } finally {\n    busy = false;\n  }";
const KOA_WORK: &str = "busy = true;\n  try {\n    await mail.go();\n    ctx.body = { n };\n  } finally {\n    busy = false;\n  }";

fn express(refuses: &str) -> String {
    format!("{EXPRESS}app.post('/a', async (req, res, next) => {{\n  {refuses}\n  {EXPRESS_WORK}\n}});\n")
}

fn fastify(refuses: &str) -> String {
    format!("{FASTIFY}app.post('/a', async (req, reply) => {{\n  {refuses}\n  {FASTIFY_WORK}\n}});\n")
}

fn koa(refuses: &str) -> String {
    format!("{KOA}router.post('/a', async (ctx) => {{\n  {refuses}\n  {KOA_WORK}\n}});\n")
}

fn written(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Standard output with standard error, and the status.
fn checked(arguments: &[&str]) -> (String, Option<i32>) {
    let output = command(&[&["check"], arguments].concat()).output().unwrap();
    (text(&output.stdout) + &text(&output.stderr), output.status.code())
}

#[test]
fn a_refusal_before_anything_is_written_may_be_given_at_any_time() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-refuse");
    for (name, content) in [
        ("express.js", express("if (busy) return res.status(409).json({ error: 'busy' });")),
        ("express-send-status.js", express("if (busy) return res.sendStatus(503);")),
        ("fastify-returned.js", fastify("if (busy) { reply.code(429); return { error: 'busy' }; }")),
        ("fastify-sent.js", fastify("if (busy) return reply.code(409).send({ error: 'busy' });")),
        ("koa-returns.js", koa("if (busy) { ctx.status = 409; ctx.body = 'busy'; return; }")),
        (
            "koa-else.js",
            format!(
                "{KOA}router.post('/a', async (ctx) => {{\n  if (busy) {{ ctx.status = 423; ctx.body = 'busy'; }}\n  else {{ {KOA_WORK} }}\n}});\n"
            ),
        ),
    ] {
        let file = written(&folder, name, &content);
        let (said, status) = checked(&[&file]);
        assert!(status == Some(0), "{name}: {said}");
        // Where no status is one of a refusal it is an answer like all others.
        let (said, status) = checked(&[&file, "--refusals", "none"]);
        assert!(status == Some(1), "{name}: {said}");
    }
}

#[test]
fn an_answer_that_comes_with_a_change_is_no_refusal_and_its_test_fails() {
    if !has_node() {
        return;
    }
    let node = std::env::var("SERVAL_NODE").unwrap_or_else(|_| "node".to_owned());
    let folder = directory("handlers-no-refusal");
    let note = "async function note() { n += 1; await mail.note(); }\n";
    for (name, content) in [
        // Written before, behind, in `finally`, and by what runs beside.
        ("before.js", koa("if (busy) { n += 1; ctx.status = 423; ctx.body = 'busy'; return; }")),
        ("behind.js", koa("if (busy) { ctx.status = 423; ctx.body = 'busy'; n += 1; return; }")),
        (
            "sent.js",
            format!(
                "{}app.get('/n', async () => ({{ n }}));\n",
                fastify("if (busy) { reply.code(409).send('busy'); n += 1; return reply; }")
            ),
        ),
        (
            "finally.js",
            format!(
                "{EXPRESS}app.post('/a', async (req, res) => {{\n  try {{\n    if (busy) return res.status(409).send('busy');\n    busy = true;\n\
                 await mail.go();\n    res.send('ok');\n  }} finally {{\n    n += 1;\n    busy = false;\n  }}\n}});\n\
                 app.get('/n', (req, res) => {{ res.json({{ n }}); }});\n"
            ),
        ),
        (
            "beside.js",
            format!(
                "{}{note}app.get('/n', (req, res) => {{ res.json({{ n }}); }});\n",
                express("note();\n  if (busy) return res.status(409).send('busy');")
            ),
        ),
    ] {
        let file = written(&folder, name, &content);
        let (said, status) = checked(&[&file, "--replay", "--emit", "test"]);
        assert!(status == Some(1) && said.contains("Node gives the same answers again"), "{name}: {said}");
        let test = folder.join(name.replace(".js", ".test.mjs"));
        let output = Command::new(&node).arg("--test").arg(&test).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stdout));
    }
}

#[test]
fn what_is_passed_on_is_answered_as_a_failure() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-next");
    let body = "const seen = n;\n    await mail.go();\n    n = seen + 1;\n    res.json({ n });";
    let head = "app.post('/a', async (req, res, next) => {\n  try {\n    ";
    let racy = written(&folder, "racy.js", &format!("{EXPRESS}{head}{body}\n  }} catch (error) {{\n    next(error);\n  }}\n}});\n"));
    let (said, status) = checked(&[&racy, "--replay"]);
    assert!(status == Some(1) && said.contains("throws mail.go failed"), "{said}");
    let body = "n += 1;\n    const mine = n;\n    await mail.go();\n    res.json({ mine });";
    let fixed = written(&folder, "fixed.js", &format!("{EXPRESS}{head}{body}\n  }} catch (error) {{\n    next(error);\n  }}\n}});\n"));
    let (said, status) = checked(&[&fixed]);
    assert_eq!(status, Some(0), "{said}");
    let plain = written(&folder, "plain.js", &format!("{EXPRESS}app.post('/a', async (req, res, next) => {{ n += 1; next(); }});\n"));
    assert!(checked(&[&plain]).0.contains("`next` without an error"));
}

#[test]
fn a_module_may_wait_for_its_server() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-listen");
    let handler = "app.post('/a', async () => { n += 1; const mine = n; await mail.go(); return { mine }; });\n";
    for (name, end) in [
        ("last.js", "await app.listen({ port: 3000 });\n"),
        (
            "start.js",
            "const start = async () => {\n  try { await app.listen({ port: 3000 }); } catch (e) { app.log.error(e); process.exit(1); }\n};\nstart();\n",
        ),
    ] {
        let file = written(&folder, name, &format!("{FASTIFY}await app.register(mail.plugin);\n{handler}{end}"));
        let (said, status) = checked(&[&file]);
        assert_eq!(status, Some(0), "{name}: {said}");
    }
    let file = written(&folder, "then.js", &format!("{FASTIFY}{handler}await app.listen({{ port: 3000 }});\nn = 2;\n"));
    assert!(checked(&[&file]).0.contains("`await` in the module"));
}

#[test]
fn a_verdict_says_what_was_left_out() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-left-out");
    let content = "import { api } from './api.js';\nlet n = 0;\nsetInterval(() => { for (const x of api.all()) n = x; }, 1000);\n\
        export async function bump() { n += 1; await api.go(); }\nexport function read() { return n; }\nexport function reset() { n = 0; }\n";
    let file = written(&folder, "timer.js", content);
    let (said, status) = checked(&[&file]);
    assert!(status == Some(3) && said.contains("a function that `setInterval` is given and that touches what is shared"), "{said}");
    let (said, status) = checked(&[&file, "--requests", "bump,read"]);
    assert_eq!(status, Some(0), "{said}");
    let line = "serializable (only the requests bump and read, without a function that `setInterval` is given and reset, ";
    assert!(said.lines().next().unwrap().contains(line), "{said}");
}

/// Behind numbers that are compared lies a race, which was once left out of proofs.
#[test]
fn no_proof_leaves_out_what_lies_behind_a_comparison() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-behind");
    let race = "const a = n; await api.go(); n = a + 1; return n;";
    for (name, body, wanted) in [
        ("greater.js", format!("const x = await api.price(); if (x > 5) {{ {race} }} return 0;"), 1),
        ("zero.js", format!("const x = await api.price(); m += x; if (!x) {{ {race} }} return 0;"), 1),
        ("given.js", format!("if (k > 5) {{ {race} }} return 0;"), 1),
        ("clock.js", format!("const x = Date.now(); if (x - m < 5) return 0; {race}"), 1),
        ("size.js", format!("set.add(k); if (set.size > 4) {{ {race} }} return 0;"), 3),
    ] {
        let text = format!(
            "import {{ api }} from './api.js';\nlet n = 0;\nlet m = 0;\nconst set = new Set();\nexport async function f(k) {{ {body} }}\n"
        );
        let (said, status) = checked(&[&written(&folder, name, &text)]);
        assert_eq!(status, Some(wanted), "{name}: {said}");
    }
}

#[test]
fn a_number_that_leaves_its_range_is_shown_with_the_run() {
    if !has_node() {
        return;
    }
    let folder = directory("handlers-range");
    let content = "import { mail } from './mail.js';\n/** @serval 0..1 */\nlet stock = 1;\nexport async function buy() {\n  if (stock < 1) return 'none';\n\
        await mail.go();\n  stock -= 1;\n  return 'sold';\n}\n";
    let (said, status) = checked(&[&written(&folder, "stock.js", content)]);
    assert_eq!(status, Some(3), "{said}");
    for line in [
        "a number leaves its range: line 7: the value -1 leaves the range 0..1 of `stock`",
        "buy comes, buy comes, buy goes on, buy goes on",
        "requests that overlap, a race",
        "declare another range with `/** @serval 0..9 */`",
    ] {
        assert!(said.contains(line), "{said}");
    }
}
