/** Supported languages. English is bundled; the others are loaded on demand. */
export const locales = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr', 'ar', 'ja', 'zh'];
