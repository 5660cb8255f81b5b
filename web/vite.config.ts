/** Builds one script and one stylesheet into the Python package, beside what they were built from. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vite";
import { notice, packagesBehind } from "./bundled";

const here = fileURLToPath(new URL(".", import.meta.url));
const CONFIGURATION = [
  "index.html",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "vite.config.ts",
  "bundled.ts",
  "schema.json",
];

/** Python's own data that the page reads too. */
const SHARED = ["../src/regard/tasks/translation/rules.json"];

/** Everything the page is made from; tests are not in it. `regard.studio.page` lists the same. */
function inputs(): string[] {
  const sources = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(here.length).replaceAll("\\", "/"));
  return [...[...CONFIGURATION, ...sources].sort(), ...SHARED];
}

/** sha256 over each input's path, a line break and its bytes, in the order of the paths. */
function fingerprint(): string {
  const hash = createHash("sha256");
  for (const path of inputs()) hash.update(`${path}\n`).update(readFileSync(join(here, path)));
  return hash.digest("hex");
}

function page(): Plugin {
  return {
    name: "regard-page",
    apply: "build",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each) => each.type === "chunk");
      const packages = packagesBehind(chunks.flatMap((chunk) => chunk.moduleIds));
      for (const chunk of chunks) chunk.code = notice(packages) + chunk.code;
      const list = packages.map(({ text: _text, ...named }) => named);
      this.emitFile({ type: "asset", fileName: "bundled.json", source: `${JSON.stringify(list, null, 2)}\n` });
      const html = readFileSync(join(here, "index.html"), "utf8")
        .replace("<!-- style -->", '<link rel="stylesheet" href="regard.css" />')
        .replace("/src/main.tsx", "regard.js");
      this.emitFile({ type: "asset", fileName: "index.html", source: html });
      this.emitFile({ type: "asset", fileName: "built-from.txt", source: `${fingerprint()}\n` });
    },
  };
}

/** Stores the tables of phrases language by language, with which the script compresses better than phrase by phrase. */
function phrases(): Plugin {
  return {
    name: "regard-phrases",
    apply: "build",
    async transform(code, id) {
      if (!/\/words\/(interface|lessons)\.ts$/.test(id)) return null;
      const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Record<string, Record<string, string[]>>;
      return Object.entries(module).map(([name, table]) => {
        const texts = Object.values(table);
        const columns = [Object.keys(table), ...texts[0]!.map((_, language) => texts.map((each) => each[language]!))];
        if (columns.flat().some((text) => text.includes("\n"))) throw new Error(`a text of ${name} has a line break, which separates them in the built page`);
        const stored = JSON.stringify(columns.map((column) => column.join("\n")));
        return `const [keys, ...columns] = ${stored}.map((column) => column.split("\\n"));\nexport const ${name} = Object.fromEntries(keys.map((key, i) => [key, columns.map((column) => column[i])]));`;
      }).join("\n");
    },
  };
}

/** `--mode worker` and `--mode start` build what the page that computes by itself alone holds. */
export default defineConfig(({ mode }) => ({
  plugins: mode === "production" ? [phrases(), page()] : [],
  define: { "process.env.NODE_ENV": '"production"' },
  server: { proxy: { "/api": "http://127.0.0.1:8642" } },
  build: {
    outDir: "../src/regard/studio/static",
    emptyOutDir: mode === "production",
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    // An entry of our own rather than index.html: the bundle's exports are what notebooks import.
    rolldownOptions: {
      input: mode === "production" ? "src/main.tsx" : `src/local/${mode}.ts`,
      preserveEntrySignatures: "strict",
      output: { format: mode === "production" ? "es" : "iife", entryFileNames: mode === "production" ? "regard.js" : `${mode}.js`, assetFileNames: "regard[extname]", codeSplitting: false },
    },
  },
}));
