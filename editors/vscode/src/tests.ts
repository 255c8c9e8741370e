// The requests of programs in the test explorer. A program is performed in no way: a run asks for its verdict. Requests
// whose steps are part of a run that no serial order explains fail; of the others nothing is said then.
import * as vscode from "vscode";

export type State = { uri: string; version: number; state: "stale" | "checking" | "verdict" | "stopped" | "error"; text: string; verdict: string | null };

/** Verdicts that are what people hope for. */
export const GOOD = ["serializable", "strict", "safe", "fine", "holds"];

export function explorer(decide: (document: vscode.TextDocument, token: vscode.CancellationToken) => Promise<State | undefined>): vscode.Disposable {
  const controller = vscode.tests.createTestController("serval", "serval");
  const file = (uri: vscode.Uri): vscode.TestItem => {
    let item = controller.items.get(uri.toString());
    if (!item) {
      item = controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
      item.canResolveChildren = true;
      controller.items.add(item);
    }
    return item;
  };
  const requests = async (item: vscode.TestItem): Promise<void> => {
    await vscode.workspace.openTextDocument(item.uri!);
    const symbols = (await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>("vscode.executeDocumentSymbolProvider", item.uri)) ?? [];
    item.children.replace(
      symbols.filter((symbol) => symbol.kind === vscode.SymbolKind.Function).map((symbol) => {
        const child = controller.createTestItem(`${item.id}#${symbol.name}`, symbol.name, item.uri);
        child.range = symbol.range;
        return child;
      }),
    );
  };
  const find = async (): Promise<void> => {
    for (const uri of await vscode.workspace.findFiles("**/*.ser", "**/node_modules/**", 2000)) {
      file(uri);
    }
  };
  controller.resolveHandler = (item) => (item ? requests(item) : find());
  controller.refreshHandler = find;

  const check = async (run: vscode.TestRun, item: vscode.TestItem): Promise<void> => {
    const document = await vscode.workspace.openTextDocument(item.uri!);
    const state = await decide(document, run.token);
    await requests(item);
    const all = [item, ...[...item.children].map(([, child]) => child)];
    if (state?.state === "verdict" && GOOD.includes(state.verdict ?? "")) {
      all.forEach((one) => run.passed(one));
      return;
    }
    if (state?.state !== "verdict" || state.verdict === "unknown") {
      all.forEach((one) => run.errored(one, new vscode.TestMessage(state?.text ?? "stopped")));
      return;
    }
    // The accesses that form the cycle, and the places where another request runs.
    const found = vscode.languages.getDiagnostics(document.uri).filter((one) => one.source === "serval" && one.severity === vscode.DiagnosticSeverity.Error);
    for (const one of all) {
      const inside = (place: vscode.Range): boolean => one === item || one.range!.contains(place);
      const reasons = found.flatMap((reason) => [reason.range, ...(reason.relatedInformation ?? []).map(({ location }) => location.range)].filter(inside).slice(0, 1).map((place) => {
        const message = new vscode.TestMessage(reason.message);
        message.location = new vscode.Location(document.uri, place);
        return message;
      }));
      if (one === item || reasons.length > 0) {
        run.failed(one, reasons.length > 0 ? reasons : new vscode.TestMessage(state.text));
      } else {
        run.skipped(one);
      }
    }
  };
  controller.createRunProfile("Check", vscode.TestRunProfileKind.Run, async (asked, token) => {
    await find();
    const all = asked.include ?? [...controller.items].map(([, item]) => item);
    const left = new Set((asked.exclude ?? []).map((item) => item.id));
    const items = new Set(all.map((item) => item.parent ?? item).filter((item) => !left.has(item.id)));
    const run = controller.createTestRun(asked);
    items.forEach((item) => run.enqueued(item));
    for (const item of items) {
      if (token.isCancellationRequested) {
        break;
      }
      run.started(item);
      await check(run, item);
    }
    run.end();
  }, true);

  const watcher = vscode.workspace.createFileSystemWatcher("**/*.ser", false, true, false);
  watcher.onDidCreate(file);
  watcher.onDidDelete((uri) => controller.items.delete(uri.toString()));
  const show = (document: vscode.TextDocument): void => {
    if (document.languageId === "serval" && document.uri.scheme !== "git") {
      file(document.uri);
    }
  };
  vscode.workspace.textDocuments.forEach(show);
  return vscode.Disposable.from(controller, watcher, vscode.workspace.onDidOpenTextDocument(show));
}
