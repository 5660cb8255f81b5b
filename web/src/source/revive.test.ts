import { expect, test } from "vitest";
import { Refused, reviving } from "./http";
import type { Transport } from "./requests";

/** A server that forgets all of its traces when it is restarted. */
function server() {
  const here = new Set<string>();
  const asked: string[] = [];
  const answered = (path: string) => {
    asked.push(path);
    if (!here.has(path.split("/")[2] ?? "")) throw new Refused("there is no trace here any more.", 404);
  };
  const transport: Transport = {
    async json(path, body) {
      if (path !== "/traces" || !body) {
        answered(path);
        return { id: path.split("/")[2], model: "m", text: "given", by_text: path.endsWith("/given") };
      }
      const { text } = body as { text: string };
      asked.push(`trace ${text}`);
      here.add(text);
      return { id: text };
    },
    async binary(path) {
      answered(path);
      return { shape: [1, 1], values: Float32Array.of(0.5) };
    },
  };
  return { here, asked, transport: reviving(transport) };
}

test("tiles of a trace that is gone are asked for again once it has been made again, once for all", async () => {
  const { here, asked, transport } = server();
  await transport.json("/traces", { model: "m", text: "tea" });
  here.clear();
  const tiles = await Promise.all([1, 2, 3].map((row) => transport.binary(`/traces/tea/tile?row=${row}`)));
  expect(tiles.map(({ values }) => values[0])).toEqual([0.5, 0.5, 0.5]);
  expect(asked.filter((each) => each === "trace tea").length).toBe(2);
});

test("a trace that was opened is made again where its text makes it", async () => {
  const { here, transport } = server();
  here.add("given").add("other");
  await transport.json("/traces/given", null);
  await transport.json("/traces/other", null);
  here.clear();
  expect(await transport.json("/traces/given/summary?tap=t", null)).toMatchObject({ id: "given" });
  await expect(transport.json("/traces/other/summary?tap=t", null)).rejects.toThrow("there is no trace here any more.");
});

test("other refusals stay what they are", async () => {
  const broken = async () => {
    throw new Refused("head 9 is not there.", 400);
  };
  await expect(reviving({ json: broken, binary: broken }).binary("/traces/a/tile?head=9")).rejects.toThrow("head 9 is not there.");
});
