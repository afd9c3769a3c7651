// Contrast as WCAG 2.2 counts it. Whatever colour a tenant chooses, what stands on it and what is written in it is legible.

import { inkOn, luminance } from './ink.ts';

type Rgb = [number, number, number];

const parse = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
const toHex = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour itself if it can be read on that ground; else the nearest one towards black or white that can. */
export function legibleOn(ground: string, colour: string, ratio = 4.51): string {
  const [from, ink] = [parse(colour), parse(inkOn(ground) === '#fff' ? '#ffffff' : '#000000')];
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = toHex(from.map((part, at) => part + (ink[at]! - part) * share) as Rgb);
    if (contrast(ground, mixed) >= ratio) return mixed;
  }
  return toHex(ink);
}
