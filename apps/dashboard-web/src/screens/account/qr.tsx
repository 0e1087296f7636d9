import { generate } from 'lean-qr';

/** White around the code, without which cameras do not find it; in modules. */
const MARGIN = 4;
const PIXELS = 220;

/** A QR code, drawn here: the text goes to nobody. */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const code = generate(text);
  const all = Array.from({ length: code.size }, (_each, at) => at);
  const dark = all.flatMap((y) => all.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`));
  const size = code.size + 2 * MARGIN;
  return (
    <svg
      role="img"
      aria-label={label}
      width={PIXELS}
      height={PIXELS}
      viewBox={`${-MARGIN} ${-MARGIN} ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}
