import type * as Http from 'node:http';

/**
 * Not imported: Node would read each export of `node:http` at once, and `WebSocket` loads all of undici. That takes each
 * process 60 ms and 14 MB.
 */
export const {
  Agent: HttpAgent,
  createServer,
  request: requestHttp,
}: Pick<typeof Http, 'Agent' | 'createServer' | 'request'> = process.getBuiltinModule('node:http');
