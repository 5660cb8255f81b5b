import { describe, expect, it } from "vitest";
import { prefixTree } from "./Beams";

const of = (...texts: string[]) => texts.map((text) => ({ tokens: text.split(" ") }));

describe("the prefix tree", () => {
  const beams = of("ein Hund läuft .", "ein Hund rennt weg .", "ein Hund rennt .", "der Hund läuft .");

  it("tells what is shared once", () => {
    const tree = prefixTree(beams, 0);
    expect(tree.tokens).toEqual([]);
    expect(tree.branches.map((branch) => branch.tokens.join(" "))).toEqual(["ein Hund", "der Hund läuft ."]);
    const [ein] = tree.branches;
    expect(ein!.through).toEqual([0, 1, 2]);
    expect(ein!.branches.map((branch) => branch.tokens.join(" "))).toEqual(["läuft .", "rennt"]);
    expect(ein!.branches[1]!.branches.map((branch) => branch.ends)).toEqual([[1], [2]]);
  });
  it("puts the one shown first at every fork", () => {
    const tree = prefixTree(beams, 3);
    expect(tree.branches[0]!.ends).toEqual([3]);
    expect(prefixTree(beams, 2).branches[0]!.branches[0]!.branches[0]!.ends).toEqual([2]);
  });
  it("holds every token of every hypothesis", () => {
    const tokensOf = (branch: ReturnType<typeof prefixTree>, index: number): string[] => [
      ...branch.tokens,
      ...branch.branches.filter((each) => each.through.includes(index)).flatMap((each) => tokensOf(each, index)),
    ];
    beams.forEach(({ tokens }, index) => expect(tokensOf(prefixTree(beams, 0), index)).toEqual(tokens));
  });
  it("ends one hypothesis inside another, and two alike together", () => {
    const tree = prefixTree(of("a b", "a b c", "a b"), 1);
    expect(tree.tokens).toEqual(["a", "b"]);
    expect(tree.ends.sort()).toEqual([0, 2]);
    expect(tree.branches.map((branch) => branch.ends)).toEqual([[1]]);
  });
  it("of nothing is empty", () => {
    expect(prefixTree([], 0)).toEqual({ tokens: [], through: [], ends: [], branches: [] });
  });
});
