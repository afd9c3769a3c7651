/** A background and the initials on it, with a contrast of at least 4.5:1. */
interface Pair {
  background: string;
  text: string;
}

export const avatarColours: readonly { light: Pair; dark: Pair }[] = [
  { light: { background: '#CCFBF1', text: '#115E59' }, dark: { background: '#134E4A', text: '#99F6E4' } },
  { light: { background: '#DBEAFE', text: '#1E40AF' }, dark: { background: '#1E3A8A', text: '#BFDBFE' } },
  { light: { background: '#EDE9FE', text: '#5B21B6' }, dark: { background: '#4C1D95', text: '#DDD6FE' } },
  { light: { background: '#FCE7F3', text: '#9D174D' }, dark: { background: '#831843', text: '#FBCFE8' } },
  { light: { background: '#FEF3C7', text: '#92400E' }, dark: { background: '#78350F', text: '#FDE68A' } },
  { light: { background: '#DCFCE7', text: '#166534' }, dark: { background: '#14532D', text: '#BBF7D0' } },
  { light: { background: '#FFE4E6', text: '#9F1239' }, dark: { background: '#881337', text: '#FECDD3' } },
  { light: { background: '#E0F2FE', text: '#075985' }, dark: { background: '#0C4A6E', text: '#BAE6FD' } },
];

/** The same colour for the same ID on every page and in every process. */
export function avatarColourOf(id: string) {
  let hash = 0;
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return avatarColours.at(hash % avatarColours.length)!;
}

/** "Ada Lovelace" becomes "AL", and "ada@example.com" becomes "A". */
export function initialsOf(name: string): string {
  const [person = ''] = name.split('@');
  const initials = person.split(/[\s._-]/).flatMap((part) => /^[\p{L}\p{N}]/u.exec(part)?.[0] ?? []);
  return (initials.length > 1 ? `${initials[0]}${initials.at(-1)}` : (initials[0] ?? '')).toLocaleUpperCase('en');
}
