import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connection } from "./connection";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a server that has gone is asked until it is back", async () => {
  let up = false;
  let asked = 0;
  const way = connection(async () => (asked++, up), 100);
  way.fail();
  way.fail(); // many requests fail at once, one of them starts the attempts
  await vi.advanceTimersByTimeAsync(250);
  expect([way.lost.value, way.returns.value, asked]).toEqual([true, 0, 2]);
  up = true;
  await vi.advanceTimersByTimeAsync(100);
  expect([way.lost.value, way.returns.value, asked]).toEqual([false, 1, 3]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toBe(3);
});

test("trying again does not wait for the next attempt", async () => {
  const way = connection(async () => true, 60_000);
  way.fail();
  await way.retry();
  expect([way.lost.value, way.returns.value]).toEqual([false, 1]);
});
