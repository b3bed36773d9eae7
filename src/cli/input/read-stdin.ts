/** Reads a task or a message from standard input. It is refused if it is endless or no text. */
import { Refusal } from '../../base/errors.ts';
import { REQUEST_BYTES_MAX } from '../../protocol/request-bytes.ts';

/** Without a bound, `yes | supervisor run -` would read until the memory is full. */
export async function readStdin(
  chunks: AsyncIterable<Buffer | string>,
  bytesMax = REQUEST_BYTES_MAX,
): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > bytesMax)
      throw refusal(
        `Standard input has more than ${bytesMax} bytes.`,
        'Put the long part into a file of the project, and name that file in the text.',
      );
    parts.push(part);
  }
  const text = Buffer.concat(parts);
  if (text.includes(0))
    throw refusal(
      'Standard input is not a text: it contains a NUL byte.',
      'Send a plain text in UTF-8.',
    );
  return text.toString('utf8');
}

/** At a terminal the command would wait without a word, so it says what it waits for. */
export function stdinReader(
  stream: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean },
  tell: (text: string) => void,
): () => Promise<string> {
  return () => {
    if (stream.isTTY === true) tell('Reading the text from the terminal. End it with Ctrl-D.\n');
    return readStdin(stream);
  };
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message, hint });
}
