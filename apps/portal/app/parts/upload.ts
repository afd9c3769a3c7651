import { Problem } from '@parley/portal-kit/ui';

/** Uploads a file and reports progress, which `fetch` can't. */
export const upload = (url: string, file: File, onProgress?: (fraction: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.setRequestHeader('x-requested-with', 'portal');
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0));
    request.addEventListener('error', () =>
      reject(new Problem(0, { reason: 'offline', message: 'The upload failed. Check your connection and try again.' })),
    );
    request.addEventListener('load', () => {
      if (request.status < 300) return resolve();
      const body = parseJson(request.responseText);
      reject(new Problem(request.status, body));
    });
    request.send(file);
  });

function parseJson(text: string): object {
  try {
    return (JSON.parse(text) as { error?: object }).error ?? {};
  } catch {
    return {};
  }
}
