// The report beside the text: a step lights its lines, a click on a line finds the step. It follows the text: what is
// about a version before the last edit says so until the next verdict is there.
import * as path from "node:path";
import * as vscode from "vscode";

/** What the page does beyond what it does in a browser. Unchanged values are dimmed. */
const MORE = `<style>
.detail tbody tr:not(.changed) { color: var(--quiet); }
body.before::before { content: "before the last edit"; display: block; color: var(--open); }
body.before main { opacity: .6; }
</style>
<script>
(function () {
  "use strict";
  var editor = acquireVsCodeApi();
  var steps = Array.prototype.slice.call(document.querySelectorAll("svg.run .step"));
  function linesOf(step) { return (step.getAttribute("data-lines") || "").split(" ").map(Number); }
  function chosen() { return steps.findIndex(function (step) { return step.classList.contains("chosen"); }); }
  var told = -1;
  function tell() {
    var now = chosen();
    if (now >= 0 && now !== told) { told = now; editor.postMessage({ lines: linesOf(steps[now]) }); }
  }
  steps.forEach(function (step) { new MutationObserver(tell).observe(step, { attributes: true, attributeFilter: ["class"] }); });
  tell();
  addEventListener("message", function (event) {
    if (event.data.before !== undefined) {
      document.body.classList.toggle("before", event.data.before);
      if (!event.data.before) { told = -1; tell(); }
    }
    var from = chosen();
    for (var more = 1; event.data.line && more <= steps.length; more += 1) {
      var step = steps[(from + more) % steps.length];
      if (linesOf(step).indexOf(event.data.line) >= 0) {
        step.dispatchEvent(new MouseEvent("click"));
        step.scrollIntoView({ block: "nearest", inline: "nearest" });
        break;
      }
    }
  });
})();
</script>
</body>`;

/** `turn` counts what the server said about the text: a page that was asked for before the last of it is not shown. */
type Shown = { panel: vscode.WebviewPanel; document: vscode.TextDocument; turn: number };

export class Reports implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly lit = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
  });
  private readonly selecting = vscode.window.onDidChangeTextEditorSelection((change) => {
    if (change.kind === vscode.TextEditorSelectionChangeKind.Mouse) {
      const line = change.selections[0].active.line + 1;
      void this.shown.get(change.textEditor.document.uri.toString())?.panel.webview.postMessage({ line });
    }
  });

  /** `page` gives the report about the text as it is now; `seen` is called when another panel is in front. */
  constructor(
    private readonly page: (document: vscode.TextDocument) => Promise<string>,
    private readonly seen: () => void,
  ) {}

  dispose(): void {
    this.selecting.dispose();
    this.lit.dispose();
    for (const { panel } of this.shown.values()) {
      panel.dispose();
    }
  }

  /** The text whose report is in front. */
  document(): vscode.TextDocument | undefined {
    return [...this.shown.values()].find(({ panel }) => panel.active)?.document;
  }

  /** Opens the report, or shows the one that is open. */
  async open(document: vscode.TextDocument): Promise<void> {
    const html = await this.page(document);
    const key = document.uri.toString();
    let one = this.shown.get(key);
    if (one) {
      one.panel.reveal(undefined, true);
    } else {
      const panel = vscode.window.createWebviewPanel("serval", `serval: ${path.basename(document.fileName)}`, vscode.ViewColumn.Beside, {
        enableScripts: true,
        localResourceRoots: [],
      });
      one = { panel, document, turn: 0 };
      this.shown.set(key, one);
      panel.webview.onDidReceiveMessage(({ lines }: { lines: number[] }) => this.light(document, lines));
      panel.onDidChangeViewState(this.seen);
      panel.onDidDispose(() => {
        this.shown.delete(key);
        this.light(document, []);
        this.seen();
      });
    }
    this.show(one, html);
  }

  /** What the server said about a text. */
  async follow(uri: string, hasVerdict: boolean): Promise<void> {
    const one = this.shown.get(uri);
    if (!one) {
      return;
    }
    const turn = (one.turn += 1);
    if (!hasVerdict) {
      this.light(one.document, []);
      await one.panel.webview.postMessage({ before: true });
      return;
    }
    const html = await this.page(one.document).catch(() => undefined);
    // Where there was an edit in between, the next verdict comes.
    if (html !== undefined && turn === one.turn && this.shown.has(uri)) {
      this.show(one, html);
    }
  }

  /** The editor does not load a page anew that is the one it has; a message makes that one current again. */
  private show({ panel }: Shown, html: string): void {
    panel.webview.html = html.replace(/<\/body>(?![^]*<\/body>)/, () => MORE);
    void panel.webview.postMessage({ before: false });
  }

  private light(document: vscode.TextDocument, lines: number[]): void {
    const there = lines.filter((line) => Number.isInteger(line) && line >= 1 && line <= document.lineCount);
    const ranges = there.map((line) => document.lineAt(line - 1).range);
    for (const editor of vscode.window.visibleTextEditors.filter((one) => one.document.uri.toString() === document.uri.toString())) {
      editor.setDecorations(this.lit, ranges);
      if (ranges.length > 0) {
        editor.revealRange(ranges[0], vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      }
    }
  }
}
