/** API versions by date, oldest first. Additive changes do not create a new one. */
export const versions = ['2026-11-14'] as const;
export type Version = (typeof versions)[number];

export const currentVersion: Version = versions[versions.length - 1] ?? versions[0];

export const isVersion = (text: string): text is Version => (versions as readonly string[]).includes(text);
