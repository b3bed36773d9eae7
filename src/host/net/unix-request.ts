import { requestHttp } from './http.ts';

export type UnixAnswer = { readonly status: number; readonly text: string };

const ANSWER_BYTES_MAX = 1_000_000;

/** One HTTP request to a unix socket. Undefined if no answer comes in time. */
export function requestUnix(
  socketPath: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  msMax: number,
): Promise<UnixAnswer | undefined> {
  return new Promise((resolve) => {
    const pending = requestHttp(
      { socketPath, method, path, timeout: msMax, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (text.length < ANSWER_BYTES_MAX) text += chunk;
        });
        response.on('error', () => resolve(undefined));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    pending.on('timeout', () => pending.destroy());
    pending.on('error', () => resolve(undefined)); // no such socket, no permission, or it closed
    pending.end();
  });
}
