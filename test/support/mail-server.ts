/** A mail server on this machine that speaks enough SMTP to receive mails, without TLS. */
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';

type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  /** What AUTH PLAIN gave. */
  readonly login: string | null;
  readonly data: string;
};

type MailServer = AsyncDisposable & {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
};

/** `refuses`: a receiver that it does not know. */
export async function mailServer({ refuses }: { refuses?: string } = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // the client may close first
    serve(socket, refuses, (mail) => mails.push(mail));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function serve(
  socket: Socket,
  refuses: string | undefined,
  receive: (mail: ReceivedMail) => void,
): void {
  let [rest, from, data] = ['', '', ''];
  let login: string | null = null;
  let to: string[] = [];
  let isData = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const command = (line: string): void => {
    const [word = ''] = line.toUpperCase().split(' ');
    const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
    if (word === 'EHLO') return say('250-local\r\n250 AUTH PLAIN');
    if (word === 'AUTH') {
      login = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString('utf8');
      return say('235 welcome');
    }
    if (word === 'MAIL') {
      from = address;
      return say('250 ok');
    }
    if (word === 'RCPT') {
      if (address === refuses) return say('550 no such receiver');
      to = [...to, address];
      return say('250 ok');
    }
    if (word === 'DATA') {
      isData = true;
      return say('354 go ahead');
    }
    say(word === 'QUIT' ? '221 bye' : '250 ok');
  };
  const content = (line: string): void => {
    if (line !== '.') {
      data += `${line}\n`;
      return;
    }
    isData = false;
    receive({ from, to, login, data });
    say('250 taken');
  };
  say('220 local');
  socket.on('data', (chunk) => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) (isData ? content : command)(line);
  });
}
