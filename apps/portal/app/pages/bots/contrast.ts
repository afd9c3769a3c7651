// Contrast as WCAG 2.2 counts it.

const share = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

const luminance = (hex: string) => {
  const [red, green, blue] = [1, 3, 5].map((at) => share(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
};

export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Black or white, as the widget chooses it for what stands on the accent colour. */
export const inkOn = (ground: string) =>
  contrast(ground, '#ffffff') >= contrast(ground, '#000000') ? '#ffffff' : '#000000';

export const isColour = (text: string) => /^#[\da-f]{6}$/i.test(text);

/** Cut, not rounded: 4.49 is not 4.5. */
export const ratioText = (ratio: number) => `${(Math.floor(ratio * 10) / 10).toFixed(1)}:1`;

export interface Verdict {
  what: string;
  ground: string;
  ink: string;
  ratio: number;
  tone: 'good' | 'warn';
  words: string;
}

const enough = 4.5;
/** What the chat stands on in its two themes. */
const grounds = [
  { name: 'light theme', ground: '#f1f5f9', turned: 'darker' },
  { name: 'dark theme', ground: '#1e293b', turned: 'lighter' },
];

export function verdictsOn(accent: string): Verdict[] {
  const ink = inkOn(accent);
  return [
    {
      what: 'Text on the accent colour',
      ground: accent,
      ink,
      ratio: contrast(accent, ink),
      tone: 'good',
      words: `Easy to read. The widget uses ${ink === '#ffffff' ? 'white' : 'black'} text here.`,
    },
    ...grounds.map(({ name, ground, turned }): Verdict => {
      const ratio = contrast(accent, ground);
      const isGood = ratio >= enough;
      return {
        what: `Links in the accent colour (${name})`,
        ground,
        ink: accent,
        ratio,
        tone: isGood ? 'good' : 'warn',
        words: isGood
          ? 'Easy to read.'
          : `Contrast is too low: at least 4.5:1 is needed. The widget uses a ${turned} shade here.`,
      };
    }),
  ];
}
