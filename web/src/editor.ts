// The editor: text, our tokens and diagnostics, and the lines of the step that is looked at.

import { autocompletion, completionKeymap, snippetCompletion, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { lintGutter, setDiagnostics, type Diagnostic as Shown } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightSpecialChars, hoverTooltip, keymap, lineNumbers, type DecorationSet,
} from "@codemirror/view";
import type { Analyzed, Change } from "serval-wasm";

const setTokens = StateEffect.define<[number, number, string][]>();
const setLit = StateEffect.define<number[]>();

/** Marks that move with the text until the next come. */
const tokens = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) {
      if (effect.is(setTokens)) {
        const length = change.state.doc.length;
        const ranges = effect.value.filter(([from, to]) => from < to && to <= length);
        marks = Decoration.set(ranges.map(([from, to, name]) => Decoration.mark({ class: `t-${name}` }).range(from, to)));
      }
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const lit = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    if (change.docChanged) return Decoration.none;
    for (const effect of change.effects) {
      if (effect.is(setLit)) {
        const lines = effect.value.filter((line) => line >= 1 && line <= change.state.doc.lines).sort((a, b) => a - b);
        marks = Decoration.set(lines.map((line) => Decoration.line({ class: "lit" }).range(change.state.doc.line(line).from)));
      }
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: "14px" },
  ".cm-content": { fontFamily: 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace', caretColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--soft)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "transparent", outline: "1px solid var(--line)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--soft)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-tooltip": { backgroundColor: "var(--soft)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--ink)" },
  ".lit": { backgroundColor: "var(--mark)", boxShadow: "inset .25rem 0 var(--focus)" },
  ".told": { maxWidth: "28rem", padding: ".1rem .6rem", font: "14px/1.45 system-ui, sans-serif" },
  ".told p": { margin: ".3rem 0", whiteSpace: "pre-wrap" },
  ".t-function": { fontWeight: "600" },
  ".t-keyword": { fontWeight: "700", color: "var(--keyword)" },
  ".t-yield": { fontWeight: "700", color: "var(--yield)", textDecoration: "underline" },
  ".t-comment": { color: "var(--quiet)" },
  ".t-global": { color: "var(--global)" },
  ".t-number": { color: "var(--number)" },
});

/** Asks the module about a place. */
type Ask = (offset: number) => Promise<Analyzed | null>;

/** What the module proposes for a place; its snippets have places to fill. */
function complete(ask: Ask) {
  return async (context: CompletionContext) => {
    if (!context.explicit && !context.matchBefore(/[A-Za-z_]\w+/)) return null;
    const found = await ask(context.pos);
    if (!found?.proposals?.length) return null;
    const options = found.proposals.map((one) => {
      const filled = one.snippet.replace(/\$\{\d+:([^}]*)\}/g, "#{$1}").replace(/\$\d+/g, "#{}");
      return snippetCompletion(filled, { label: one.label, detail: one.detail.slice(0, 60) });
    });
    return { from: found.proposals[0]!.place[0], options, validFor: /^\w*$/ };
  };
}

/** Markdown as text: what is between stars and ticks stands out, and nothing else is made of it. */
function drawn(markdown: string) {
  const holder = document.createElement("div");
  holder.className = "told";
  for (const block of markdown.split(/```\w*\n|\n\n/)) {
    if (block.trim() === "" || block.trim() === "---") continue;
    const paragraph = document.createElement("p");
    for (const part of block.trim().split(/(\*\*[^*]+\*\*|`[^`]+`)/)) {
      const strong = part.startsWith("**");
      if (!strong && !part.startsWith("`")) paragraph.append(part);
      else {
        const element = document.createElement(strong ? "strong" : "code");
        element.textContent = part.replace(/^(\*\*|`)|(\*\*|`)$/g, "");
        paragraph.append(element);
      }
    }
    holder.append(paragraph);
  }
  return holder;
}

function about(ask: Ask) {
  return hoverTooltip(async (_, offset) => {
    const found = (await ask(offset))?.hover;
    if (!found) return null;
    const [pos, end] = found.place;
    return { pos, end, above: true, create: () => ({ dom: drawn(found.markdown) }) };
  });
}

export class Editor {
  readonly view: EditorView;
  constructor(
    parent: HTMLElement,
    private readonly heard: { changed: (typed: boolean) => void; atLine: (line: number) => void; ask: Ask },
    commands: { key: string; run: () => boolean }[],
  ) {
    // Within a shadow the editor may have sheets of style where the page forbids elements with style.
    const root = parent.attachShadow({ mode: "open" });
    const holder = document.createElement("div");
    holder.className = "holder";
    root.append(holder);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(":host, .holder { height: 100%; }");
    root.adoptedStyleSheets = [sheet];
    this.view = new EditorView({
      parent: holder,
      root,
      state: EditorState.create({
        doc: "",
        extensions: [
          keymap.of([...commands, ...completionKeymap]),
          lineNumbers(), history(), drawSelection(), highlightActiveLine(), highlightSpecialChars(), search({ top: true }),
          lintGutter(), autocompletion({ override: [complete(heard.ask)] }), about(heard.ask),
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
          tokens, lit, look, EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Program", spellcheck: "false" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) {
              this.heard.changed(update.transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete")));
            }
            if (update.selectionSet && !update.docChanged) {
              this.heard.atLine(update.state.doc.lineAt(update.state.selection.main.head).number);
            }
          }),
        ],
      }),
    });
    this.reachable();
  }

  /** What scrolls can be scrolled by keys, also where the text itself has no focus. */
  private reachable() {
    this.view.scrollDOM.tabIndex = 0;
    this.view.scrollDOM.setAttribute("role", "group");
    this.view.scrollDOM.setAttribute("aria-label", "Program, to be scrolled");
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** Puts a text in the place of what is there, as one change that can be undone. */
  set(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 } });
  }

  show(analyzed: Analyzed) {
    const length = this.view.state.doc.length;
    const inside = (at: number) => Math.min(at, length);
    const shown: Shown[] = analyzed.diagnostics.map((one) => ({
      from: inside(one.place[0]),
      to: inside(Math.max(one.place[1], one.place[0])),
      severity: one.severity === "note" ? "info" : one.severity,
      actions: !one.edits?.length ? [] : [{ name: "do this", apply: () => this.change(one.edits) }],
      message: [`${one.code ? `${one.code}: ` : ""}${one.message}`, one.expected && `expected: ${one.expected}`, ...one.notes, one.help && `help: ${one.help}`]
        .filter(Boolean)
        .join("\n"),
    }));
    this.view.dispatch(setDiagnostics(this.view.state, shown));
    this.view.dispatch({ effects: setTokens.of(analyzed.tokens) });
  }

  change(edits: Change[]) {
    this.view.dispatch({ changes: edits.map(({ place: [from, to], text }) => ({ from, to, insert: text })) });
  }

  light(lines: number[]) {
    this.view.dispatch({ effects: setLit.of(lines) });
  }

  goto(at: number) {
    this.view.dispatch({ selection: { anchor: Math.min(at, this.view.state.doc.length) }, scrollIntoView: true });
    this.view.focus();
  }

  lineOf(at: number) {
    return this.view.state.doc.lineAt(Math.min(at, this.view.state.doc.length)).number;
  }
}
