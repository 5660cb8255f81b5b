import { expect, test } from "vitest";
import { englishEnds } from "./english";

const parts = (text: string) => [0, ...englishEnds(text)].map((end, i, ends) => text.slice(end, ends[i + 1]));

// As `sentencex.segment("en", …)` 1.0.32 has them.
test.each([
  [["He met Mr. Smith. ", "Bob came."]],
  [["At 7 p.m. Tom left."]],
  [["The sun sets at 7 p.m. ", "Tom left."]],
  [['He said: "Come here!" and left.']],
  [['He said: "Come here!" ', "He left."]],
  [["I saw J. R. Tolkien. ", "He wrote."]],
  [["Wait... no. Wait... ", "What? ", "Wait…no"]],
  [["Go home (now. Please.) ok. Bye."]],
  [["A „B. C.“ D. E"]],
  [["I saw it.” ", "Then"]],
  [["Hi.[1]", " There. ", "You [2]. ", "Me"]],
  [["e. e. cummings. ", "The"]],
  [["7.Bg5"]],
  [["etc. ", "And so"]],
  [["Yahoo! is a firm. ", "Yes."]],
  [["क। ", "ख। ", "ग"]],
  [["We show: ", "(1) It works. It is small. ", "(2) It is fast."]],
])("%j", (sentences) => expect(parts(sentences.join(""))).toEqual(sentences));
