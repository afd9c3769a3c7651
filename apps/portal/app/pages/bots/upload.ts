import { api, call, Problem } from '@parley/portal-kit/ui';
import { upload } from '../../parts/upload.ts';

export const acceptedFiles = '.pdf,.docx,.html,.htm,.md,.markdown,.txt,.csv';
const maxBytes = 25 * 1024 * 1024;

const sendFile = (sourceId: string, file: File, onProgress?: (share: number) => void) =>
  upload(`/api/knowledge-sources/${sourceId}/file`, file, onProgress);

const tooLarge = () => new Problem(413, { message: 'This file is larger than 25 MB. Split it into smaller files.' });

/** Creates a source for the file. If the upload fails, the source is deleted. */
export async function addFile(botId: string, file: File, onProgress?: (share: number) => void): Promise<void> {
  if (file.size > maxBytes) throw tooLarge();
  const name = file.name.slice(0, 120);
  const { source } = await call(
    api.POST('/bots/{botId}/knowledge-sources', {
      params: { path: { botId } },
      body: { kind: 'file', name, fileName: file.name.slice(-200), schedule: 'none', language: null },
    }),
  );
  try {
    await sendFile(source.id, file, onProgress);
  } catch (error) {
    await call(api.DELETE('/knowledge-sources/{id}', { params: { path: { id: source.id } } })).catch(() => undefined);
    throw error;
  }
}

export async function replaceFile(sourceId: string, file: File, onProgress?: (share: number) => void): Promise<void> {
  if (file.size > maxBytes) throw tooLarge();
  const fileName = file.name.slice(-200);
  await call(api.PATCH('/knowledge-sources/{id}', { params: { path: { id: sourceId } }, body: { fileName } }));
  await sendFile(sourceId, file, onProgress);
}
