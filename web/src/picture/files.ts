/** The picture of a view as a file. */

const SCALE = 3; // pixels of the PNG for each of the page: 300 dots per inch, nearly
const LONGEST = 12_000; // pixels, of what browsers draw on

export function svgFile(svg: string): Blob {
  return new Blob([svg], { type: "image/svg+xml" });
}

export async function pngFile(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(svgFile(svg));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(SCALE, LONGEST / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.round(image.width * scale), Math.round(image.height * scale)];
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const file = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!file) throw new Error("This browser could not make a PNG of the picture; save it as SVG.");
    return file;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Puts a PNG on the clipboard; saves it where the browser has no clipboard for pictures. */
export async function copyPicture(png: Blob): Promise<void> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
  } catch {
    save(png, "regard.png");
  }
}

export function save(contents: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(contents);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
