/** A vector as a row of colored cells. */
import { useColors } from "../../color/theme";
import { saying } from "./said";

interface StripProps {
  name: string; // what is said of a cell, before its number
  values: readonly number[];
  most: number; // the size that has the full color
}

export function Strip({ name, values, most }: StripProps) {
  const color = useColors();
  return (
    <span class="rg-strip">
      {values.map((value, i) => (
        <span key={i} class="rg-strip__cell" style={color("signed", value, most)} {...saying(`${name}, number ${i + 1}`, value)} />
      ))}
    </span>
  );
}
