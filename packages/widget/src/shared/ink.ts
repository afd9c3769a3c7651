/** WCAG relative luminance, without the linear part for very dark colours, which makes no visible difference. */
export const luminance = (hex: string) =>
  [0.2126, 0.7152, 0.0722].reduce(
    (sum, weight, at) => sum + weight * ((Number(`0x${hex.substr(at * 2 + 1, 2)}`) / 255 + 0.055) / 1.055) ** 2.4,
    0,
  );

/** Black or white, whichever has more contrast on the background: always at least 4.5:1. */
export const inkOn = (background: string): string => (luminance(background) < 0.179 ? '#fff' : '#000');

/** Replaces invalid colours by the default: the value is untrusted and used in a style. */
export const asColour = (text: unknown): string =>
  /^#[\da-f]{6}$/i.test(text as string) ? (text as string) : '#0f766e';
