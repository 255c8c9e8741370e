// The report: what the module drew, with a step that is chosen by slider, keys, or a line of the program.

/** What differs from a report that is a page of its own. */
const OWN = `
  .details { position: static !important; }
  .stage > .details { flex-basis: 100%; }
  header { margin-bottom: .8rem; }
  h1 { font-size: 1.25rem; }
  .zoom { margin: .3rem 0; }
  .zoom button { font: inherit; color: var(--ink); background: var(--soft); border: 1px solid var(--line); border-radius: .35rem; min-width: 2.2rem; }
  @media print { .zoom { display: none; } }
`;

/** Buttons that draw a picture larger and smaller; as it was drawn, it is 100 %. */
function zoomable(figure: HTMLElement) {
  const picture = figure.querySelector<SVGSVGElement>("svg");
  const [, , width, height] = picture?.getAttribute("viewBox")?.split(/[ ,]+/).map(Number) ?? [];
  if (!picture || !width || !height) return;
  const row = document.createElement("p");
  row.className = "zoom";
  const size = document.createElement("output");
  let percent = 100;
  const draw = (to: number) => {
    percent = Math.min(400, Math.max(25, to));
    picture.style.width = `${(width * percent) / 100}px`;
    picture.style.height = `${(height * percent) / 100}px`;
    size.textContent = `${percent} %`;
  };
  for (const [words, label, to] of [["−", "Smaller", () => percent - 25], ["+", "Larger", () => percent + 25], ["100 %", "As it was drawn", () => 100]] as const) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => draw(to()));
    row.append(button, " ");
  }
  row.append(size);
  figure.before(row);
}

export class Report {
  private readonly root: ShadowRoot;
  private steps: Element[] = [];
  private chosen = -1;

  constructor(
    holder: HTMLElement,
    private readonly controls: { row: HTMLElement; slider: HTMLInputElement; output: HTMLOutputElement },
    private readonly light: (lines: number[]) => void,
  ) {
    this.root = holder.attachShadow({ mode: "open" });
    controls.slider.addEventListener("input", () => this.choose(Number(controls.slider.value) - 1));
  }

  style(css: string) {
    const sheet = new CSSStyleSheet();
    // The colours are those of the page, whatever the system says.
    sheet.replaceSync(css);
    const own = new CSSStyleSheet();
    own.replaceSync(OWN);
    this.root.adoptedStyleSheets = [sheet, own];
  }

  /** Shows what the module wrote, in which every text of others is escaped. */
  show(html: string, step = 0) {
    this.root.innerHTML = html;
    for (const element of this.root.querySelectorAll<HTMLElement>("[data-basis]")) element.style.flexBasis = element.dataset.basis ?? "";
    // Folded away by the page: sections that stand elsewhere.
    for (const link of this.root.querySelectorAll<HTMLAnchorElement>("a[href^='#']")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.root.getElementById((link.getAttribute("href") ?? "#").slice(1))?.scrollIntoView();
      });
    }
    for (const button of this.root.querySelectorAll<HTMLButtonElement>("button.copy")) {
      const from = this.root.getElementById(button.dataset.copy ?? "");
      button.addEventListener("click", () => navigator.clipboard?.writeText(from?.textContent ?? "").then(() => (button.textContent = "Copied")));
    }
    for (const figure of this.root.querySelectorAll<HTMLElement>(".figure")) zoomable(figure);
    this.steps = [...this.root.querySelectorAll("svg.run .step")];
    this.steps.forEach((one, position) => {
      // So that the lines of a box are words of their own, as in its name.
      for (const line of one.querySelectorAll("text")) line.after(" ");
      one.addEventListener("click", () => this.choose(position));
      one.addEventListener("focus", () => this.choose(position));
      one.addEventListener("keydown", (event) => {
        const key = (event as KeyboardEvent).key;
        const to = ({ ArrowDown: position + 1, ArrowRight: position + 1, ArrowUp: position - 1, ArrowLeft: position - 1, Home: 0, End: this.steps.length - 1 } as Record<string, number>)[key];
        if (to !== undefined && this.steps[to]) {
          (this.steps[to] as SVGElement).focus();
          event.preventDefault();
        }
      });
    });
    this.controls.row.hidden = this.steps.length === 0;
    this.controls.slider.max = String(Math.max(1, this.steps.length));
    const decisive = this.steps.findIndex((one) => one.classList.contains("chosen"));
    this.chosen = -1;
    if (this.steps.length > 0) this.choose(step > 0 && step <= this.steps.length ? step - 1 : Math.max(0, decisive), false);
  }

  clear() {
    this.root.replaceChildren();
    this.steps = [];
    this.chosen = -1;
    this.controls.row.hidden = true;
  }

  /** The step that is looked at, from 1; 0 for none. */
  get step() {
    return this.chosen + 1;
  }

  private linesOf(step: Element) {
    return (step.getAttribute("data-lines") ?? "").split(" ").filter(Boolean).map(Number);
  }

  choose(position: number, lights = true) {
    const step = this.steps[position];
    if (!step || position === this.chosen) return;
    this.chosen = position;
    this.steps.forEach((other) => {
      other.classList.toggle("chosen", other === step);
      const detail = this.root.getElementById(other.getAttribute("data-detail") ?? "");
      if (detail) detail.hidden = other !== step;
    });
    this.controls.slider.value = String(position + 1);
    this.controls.output.textContent = `${position + 1} of ${this.steps.length}`;
    this.controls.slider.setAttribute("aria-valuetext", step.getAttribute("aria-label") ?? "");
    const lines = this.linesOf(step);
    if (lights || lines.length > 0) this.light(lines);
  }

  move(by: number) {
    this.choose(Math.min(this.steps.length - 1, Math.max(0, this.chosen + by)));
  }

  /** Goes to the next step that is about this line. */
  atLine(line: number) {
    const about = this.steps.flatMap((step, position) => (this.linesOf(step).includes(line) ? [position] : []));
    const next = about.find((position) => position > this.chosen) ?? about[0];
    if (next !== undefined && !(this.chosen >= 0 && this.linesOf(this.steps[this.chosen]!).includes(line))) this.choose(next);
  }
}
