// Contrast ratio of WCAG 2.2.

const linearise = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);

const luminance = (hex: string) => {
  const [red, green, blue] = [1, 3, 5].map((at) => linearise(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
};

export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Black or white text on the accent colour, chosen as in the widget. */
export const textColourOn = (background: string) =>
  contrast(background, '#ffffff') >= contrast(background, '#000000') ? '#ffffff' : '#000000';

export const isColour = (text: string) => /^#[\da-f]{6}$/i.test(text);

/** Truncated, because 4.49 does not meet 4.5. */
export const ratioText = (ratio: number) => `${(Math.floor(ratio * 10) / 10).toFixed(1)}:1`;

export interface ContrastCheck {
  label: string;
  background: string;
  foreground: string;
  ratio: number;
  tone: 'good' | 'warn';
  message: string;
}

const minRatio = 4.5;
/** The chat background in each theme. */
const backgrounds = [
  { name: 'light theme', background: '#f1f5f9', adjustment: 'darker' },
  { name: 'dark theme', background: '#1e293b', adjustment: 'lighter' },
];

export function contrastChecks(accent: string): ContrastCheck[] {
  const foreground = textColourOn(accent);
  return [
    {
      label: 'Text on the accent colour',
      background: accent,
      foreground,
      ratio: contrast(accent, foreground),
      tone: 'good',
      message: `Easy to read. The widget uses ${foreground === '#ffffff' ? 'white' : 'black'} text here.`,
    },
    ...backgrounds.map(({ name, background, adjustment }): ContrastCheck => {
      const ratio = contrast(accent, background);
      const isGood = ratio >= minRatio;
      return {
        label: `Links in the accent colour (${name})`,
        background,
        foreground: accent,
        ratio,
        tone: isGood ? 'good' : 'warn',
        message: isGood
          ? 'Easy to read.'
          : `Contrast is too low: at least 4.5:1 is needed. The widget uses a ${adjustment} shade here.`,
      };
    }),
  ];
}
