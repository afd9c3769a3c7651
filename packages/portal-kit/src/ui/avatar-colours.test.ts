import { describe, expect, test } from 'vitest';
import { avatarColourOf, avatarColours, initialsOf } from './avatar-colours.ts';

const linearise = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const luminance = (hex: string) => {
  const channel = (at: number) => linearise(Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
};
const contrast = (one: string, other: string) => {
  const luminances = [luminance(one), luminance(other)];
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
};

describe('avatars', () => {
  test.each(avatarColours)(
    'initials have a contrast of 4.5:1 in both themes ($light.background)',
    ({ light, dark }) => {
      expect(contrast(light.background, light.text)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(dark.background, dark.text)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('the colour depends only on the ID, and all colours are used', () => {
    expect(avatarColourOf('usr_1')).toBe(avatarColourOf('usr_1'));
    const used = new Set(Array.from({ length: 200 }, (_, n) => avatarColourOf(`usr_${n}`)));
    expect(used.size).toBe(avatarColours.length);
  });

  test.each([
    ['Ada Lovelace', 'AL'],
    ['ada.lovelace@example.com', 'AL'],
    ['ada@example.com', 'A'],
    ['Łukasz', 'Ł'],
    ['Juan Carlos de Borbón', 'JB'],
    ['', ''],
    ['🙂', ''],
  ])('initials of %j are %j', (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });
});
