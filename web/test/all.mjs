// All examples in the page, one after the other: each gets the verdict that its first line expects.

/** Opens each example by its name; `until` waits for something in the page. Sentences about those that got another one. */
export async function wrong(one, until) {
  await until(() => document.getElementById("result").getAttribute("aria-busy") === "false");
  await one.evaluate(() => document.getElementById("gallery-open").click());
  const rows = await one.evaluate(() => [...document.querySelectorAll("#found button")].map((row) => [row.firstChild.textContent, row.querySelector("small").textContent]));
  await one.evaluate(() => document.getElementById("gallery").close());
  const found = [];
  for (const [name, story] of rows) {
    await one.evaluate((name) => {
      globalThis.before = document.getElementById("editor").dataset.round;
      location.hash = `#example=${name}`;
    }, name);
    await until(() => document.getElementById("editor").dataset.round !== globalThis.before && document.getElementById("result").getAttribute("aria-busy") === "false");
    const said = await one.evaluate(() => document.getElementById("status").textContent);
    const wanted = /^(serializable|strict|safe|not serializable|not strict|fault)\b/.exec(story.replaceAll("-", " "))?.[1];
    const words = { safe: "no step fails", fault: "can fail" }[wanted] ?? wanted;
    if (words ? !said.startsWith(words) : !/^(not )?(serializable|strict|robust|no step fails|can fail)|questions hold|undecided/.test(said)) found.push(`${name}: ${said}, and not ${words}`);
  }
  return { count: rows.length, found };
}
