/** The languages there are words for. English is part of the chat; the others are loaded with it. */
export const locales = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'tr', 'ar', 'ja', 'zh'];
