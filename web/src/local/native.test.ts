import { expect, test, vi } from "vitest";
import { library } from "../../tests/library";
import { Native } from "./native";

test("a browser that cannot run the library learns which can", () => {
  expect(() => new Native(library.slice(0, 99))).toThrow("open the page in a current Chromium or Firefox");
});

test("a model that the engine refuses is refused with its reason", () => {
  expect(() => new Native(library).open(new Uint8Array(200), {}, new Uint8Array(0), {})).toThrow("The model cannot run in this page: vocab_size must be from 1");
});

test("a library of another version is refused", async () => {
  vi.resetModules();
  vi.doMock("./interface", async (original) => ({ ...(await original<object>()), INTERFACE: 0 }));
  const { Native: Other } = await import("./native");
  expect(() => new Other(library)).toThrow(/must have the interface 0, and has \d+; save the page again\./);
  vi.doUnmock("./interface");
});
