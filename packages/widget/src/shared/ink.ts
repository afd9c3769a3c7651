/** As WCAG counts it, but for the darkest shades, where it makes no difference that anybody could see. */
export const luminance = (hex: string) =>
  [0.2126, 0.7152, 0.0722].reduce(
    (sum, weight, at) => sum + weight * ((Number(`0x${hex.substr(at * 2 + 1, 2)}`) / 255 + 0.055) / 1.055) ** 2.4,
    0,
  );

/** Black or white, whichever reads better on that ground: never below 4.5 to 1. */
export const inkOn = (ground: string): string => (luminance(ground) < 0.179 ? '#fff' : '#000');

/** What is not a colour is left aside: it comes from outside, and goes into a style. */
export const asColour = (text: unknown): string =>
  /^#[\da-f]{6}$/i.test(text as string) ? (text as string) : '#0f766e';
