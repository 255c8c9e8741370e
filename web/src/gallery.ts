// All examples, searchable by name, story, group and expected verdict.

import type { Example, Examples } from "serval-wasm";

export function gallery(dialog: HTMLDialogElement, all: Examples, open: (example: Example) => void) {
  const find = dialog.querySelector<HTMLInputElement>("#find")!;
  const found = dialog.querySelector<HTMLElement>("#found")!;
  const draw = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    for (const group of all.groups) {
      const rows = all.examples.filter((one) => {
        const told = `${one.name} ${one.story} ${one.expects} ${group.title}`.toLowerCase();
        return one.group === group.name && words.every((word) => told.includes(word));
      });
      if (rows.length === 0) continue;
      const title = document.createElement("h3");
      title.textContent = group.title;
      const about = document.createElement("p");
      about.className = "quiet";
      about.textContent = group.about;
      const list = document.createElement("ul");
      for (const one of rows) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = one.name;
        const story = document.createElement("small");
        story.textContent = `${one.expects ? `${one.expects}. ` : ""}${one.story.slice(0, 180)}${one.story.length > 180 ? " …" : ""}`;
        button.append(story);
        button.addEventListener("click", () => {
          dialog.close();
          open(one);
        });
        const item = document.createElement("li");
        item.append(button);
        list.append(item);
      }
      found.append(title, about, list);
    }
    if (!found.hasChildNodes()) found.textContent = "Nothing is called like that.";
  };
  find.addEventListener("input", draw);
  return () => {
    find.value = "";
    draw();
    dialog.showModal();
    find.focus();
  };
}
