/** A vector as a row of coloured cells. */
import { useColours } from "../../colour/theme";
import { saying } from "./said";

interface StripProps {
  name: string; // what is said of a cell, before its number
  values: readonly number[];
  most: number; // the size that has the full colour
}

export function Strip({ name, values, most }: StripProps) {
  const colour = useColours();
  return (
    <span class="rg-strip">
      {values.map((value, i) => (
        <span key={i} class="rg-strip__cell" style={colour("signed", value, most)} {...saying(`${name}, number ${i + 1}`, value)} />
      ))}
    </span>
  );
}
