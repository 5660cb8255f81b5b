import { describe, expect, test } from "vitest";
import { hostIsDark, takesWheel } from "./notebook";

/** As much of a document as says its theme. */
function host(body: Record<string, string>, colab: string | null = null): Document {
  const html = { getAttribute: (name: string) => (name === "theme" ? colab : null) };
  return { body: { dataset: body }, documentElement: html } as unknown as Document;
}

describe("the notebook's theme", () => {
  test("is JupyterLab's", () => {
    expect(hostIsDark(host({ jpThemeLight: "false" }))).toBe(true);
    expect(hostIsDark(host({ jpThemeLight: "true" }))).toBe(false);
  });

  test("is VS Code's, with high contrast of either kind", () => {
    expect(hostIsDark(host({ vscodeThemeKind: "vscode-dark" }))).toBe(true);
    expect(hostIsDark(host({ vscodeThemeKind: "vscode-high-contrast" }))).toBe(true);
    expect(hostIsDark(host({ vscodeThemeKind: "vscode-high-contrast-light" }))).toBe(false);
    expect(hostIsDark(host({ vscodeThemeKind: "vscode-light" }))).toBe(false);
  });

  test("is Colab's", () => {
    expect(hostIsDark(host({}, "dark"))).toBe(true);
    expect(hostIsDark(host({}, "light"))).toBe(false);
  });

  test("is the system's where nothing says", () => {
    expect(hostIsDark(host({}))).toBe(null);
  });
});

test("the wheel is the notebook's until the page has the focus, or with ctrl or ⌘", () => {
  const map = (focused: boolean) => ({ matches: () => focused }) as unknown as Element;
  expect(takesWheel(map(false), { ctrlKey: false, metaKey: false })).toBe(false);
  expect(takesWheel(map(true), { ctrlKey: false, metaKey: false })).toBe(true);
  expect(takesWheel(map(false), { ctrlKey: true, metaKey: false })).toBe(true);
  expect(takesWheel(map(false), { ctrlKey: false, metaKey: true })).toBe(true);
});
