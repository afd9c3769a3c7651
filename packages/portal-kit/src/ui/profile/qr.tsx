import { encode } from 'uqr';

/** Dark on white in both themes, so that cameras can read it. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : []))).join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={196}
      height={196}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#FFF" />
      <path d={path} fill="#000" />
    </svg>
  );
}
