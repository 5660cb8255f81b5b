import { expect, test } from "vitest";
import { spread } from "./shown";

// As `regard.inspection.shown.spread` has them; its tests have the same.
test.each([
  ["▁Write ▁to ▁Boston . </s>", "Write to me@x.org.", "▁Write|▁to|▁me@x.org|.|</s>"],
  ["▁Where ▁is ▁the ▁station ? </s>", "Where is the <b>station</b>?", "▁Where|▁is|▁the|▁<b>station</b>|?|</s>"],
  ["▁I ▁you . </s>", "I ❤️ you.", "▁I|▁❤️ you|.|</s>"],
  ["▁Hell o", "👋 Hello", "▁👋 Hell|o"],
  ["▁Lin da , ▁go", "{name}, go", "▁{na|me}|,|▁go"],
  ["▁Open ▁Boston .", "Open {file}. 👍", "▁Open|▁{file}|. 👍"],
  ["▁Close ▁the ▁d oor .", "CLOSE THE DOOR.", "▁CLOSE|▁THE|▁D|OOR|."],
  ["where is [SEP] station ##s ?", "where is <b>stations</b>?", "where|is|[SEP]|<b>station|##s</b>|?"],
])("%s", (tokens, text, shown) => expect(spread(tokens.split(" "), text, new Set(["</s>", "[SEP]"])).join("|")).toBe(shown));
