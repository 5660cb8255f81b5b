/** The packages whose code is in the built page, and the notice that their licenses ask for. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Bundled {
  name: string;
  version: string;
  /** SPDX expression. */
  license: string;
  /** Of its file LICENSE. */
  text: string;
}

/** The packages that modules come from, by name. Throws where one has no license to show. */
export function packagesBehind(moduleIds: string[]): Bundled[] {
  const found = new Map<string, Bundled>();
  for (const id of moduleIds) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"))?.[0];
    if (folder === undefined) continue;
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (found.has(name)) continue;
    const file = join(folder, "LICENSE");
    if (typeof license !== "string" || !existsSync(file))
      throw new Error(`${name} must have a license and a file LICENSE, to be bundled`);
    found.set(name, { name, version, license, text: readFileSync(file, "utf8").trim() });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A comment for the top of the script, so that each copy of it, saved pages too, has the licenses. */
export function notice(packages: Bundled[]): string {
  const named = packages.map(({ name, version, license }) => `${name} ${version} (${license})`);
  const texts = [...new Set(packages.map(({ text }) => text.replaceAll("*/", "* /")))];
  return `/*! Contains ${named.join(", ")}.\n\n${texts.join("\n\n")}\n*/\n`;
}
