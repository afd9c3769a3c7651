/** Increment when parsing or chunking changes: all documents are then fetched and chunked again. */
export const readerVersion = 1;
