// Contrast as WCAG 2.2 counts it. Whatever colour a tenant chooses, what stands on it and what is written in it is legible.

import { inkOn } from './ink.ts';

type Rgb = [number, number, number];

const parse = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
const toHex = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(hex: string): number {
  const [r, g, b] = parse(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour itself if it can be read on that ground; else the nearest one towards black or white that can. */
export function legibleOn(ground: string, colour: string, ratio = 4.5): string {
  const [from, ink] = [parse(colour), parse(inkOn(ground) === '#fff' ? '#ffffff' : '#000000')];
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = toHex(from.map((part, at) => part + (ink[at]! - part) * share) as Rgb);
    if (contrast(ground, mixed) >= ratio) return mixed;
  }
  return toHex(ink);
}
