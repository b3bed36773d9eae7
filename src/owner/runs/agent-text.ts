/** Converts raw CLI output (JSON lines) into readable text lines. */
import type { AgentAdapter } from '../../adapters/adapter.ts';
import type { AgentEvent } from '../../adapters/agent-event.ts';
import { NOISE } from '../../adapters/agent-event.ts';
import { toolSubject } from '../../turns/tool-subject.ts';
import { truncate as cut } from '../../base/text.ts';
import { LineReader } from '../../host/output/line-reader.ts';
import type { Line } from '../../host/output/line-reader.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import { relativeWorkPaths } from '../../workspace/work-paths.ts';

const LINE_CHARS_MAX = 2000;
/** Of the command or the files of a tool call. */
const SUBJECT_CHARS_MAX = 200;

export async function* asText(
  chunks: AsyncIterable<OutputChunk>,
  adapter: AgentAdapter | undefined,
  isWhole = false,
): AsyncGenerator<OutputChunk, void> {
  const readers = {
    stdout: new LineReader(),
    stderr: new LineReader(),
    calls: new LineReader(),
  };
  let last: OutputChunk | undefined;
  const toText = (stream: OutputChunk['stream'], lines: readonly Line[]): string =>
    lines
      .map((line) => describeLine(stream === 'stdout' ? adapter : undefined, line, isWhole))
      .join('');
  for await (const chunk of chunks) {
    const { stream } = chunk;
    const text = toText(stream, readers[stream].push(Buffer.from(chunk.text)));
    if (text !== '') yield { ...chunk, text };
    last = chunk;
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = toText(stream, readers[stream].end());
    if (text !== '' && last !== undefined) yield { key: last.key, stream, text };
  }
}

/**
 * Converts one line of output into lines for a person, or into nothing. Unless the whole output is
 * wanted, the final message is omitted, because the end of the attempt shows it.
 */
function describeLine(
  adapter: AgentAdapter | undefined,
  { text, truncated }: Line,
  isWhole: boolean,
): string {
  const events = adapter?.read(text, 'stdout') ?? NOISE;
  return events
    .map((event) =>
      isWhole && event.kind === 'concluded'
        ? ({ kind: 'said', text: `done: ${event.summary}` } as const)
        : event,
    )
    .map((event) => describeEvent(event, text, adapter?.structured === true, truncated))
    .join('');
}

function describeEvent(
  event: AgentEvent,
  line: string,
  isStructured: boolean,
  truncated: boolean,
): string {
  switch (event.kind) {
    case 'said':
      return truncate(event.text.trimEnd(), truncated);
    case 'used-tool':
      return truncate(describeTool(event), truncated);
    case 'retrying':
      return truncate(`tries again: ${event.error.message}`, truncated);
    case 'failed':
      return truncate(`failed: ${event.error.message}`, truncated);
    case 'asked':
      return truncate(`asks: ${event.question}`, truncated);
    case 'noise':
      // A structured CLI prints many objects that are of no use to a person.
      return isStructured && line.startsWith('{') ? '' : truncate(line, truncated);
    case 'concluded':
    case 'session':
    case 'tool-result':
    case 'usage':
    case 'limit':
      return '';
  }
}

/** `uses Bash npm test`, `uses Edit src/cart.ts`; the arguments as they came if they name neither. */
function describeTool({ tool, args, input }: Extract<AgentEvent, { kind: 'used-tool' }>): string {
  const subject = toolSubject(input);
  const words = subject === undefined ? args : cut(relativeWorkPaths(subject), SUBJECT_CHARS_MAX);
  return words === '' ? `uses ${tool}` : `uses ${tool} ${words}`;
}

function truncate(text: string, truncated: boolean): string {
  const isCut = truncated || text.length > LINE_CHARS_MAX;
  return isCut ? `${text.slice(0, LINE_CHARS_MAX)} …\n` : `${text}\n`;
}
