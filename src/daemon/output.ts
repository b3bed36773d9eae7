/** What a run's agents printed, in the order of its attempts, out of the files that it is kept in. */
import type { OutputChunk } from '../protocol/api.ts';
import { BoundedQueue } from '../base/bounded-queue.ts';
import { followOutput, readOutput } from '../host/output-file.ts';

type Stream = OutputChunk['stream'];
const STREAMS: readonly Stream[] = ['stdout', 'stderr'];

export function outputName(key: string, stream: Stream): string {
  return `${key.replaceAll('/', '_')}.${stream}`;
}
