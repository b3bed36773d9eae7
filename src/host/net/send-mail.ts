/** Sends a mail. The library is loaded only when a mail is sent. */
export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** TLS from the start. Otherwise STARTTLS, if the server has it. */
  readonly secure: boolean;
  readonly login: { readonly user: string; readonly password: string } | null;
};

export type Mail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
};

export type MailAnswer =
  | { readonly kind: 'sent' }
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly message: string };

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Never rejects. It ends within the time, whatever the server does. */
export async function sendMail(
  { host, port, secure, login }: MailServer,
  { from, to, subject, text }: Mail,
  msMax: number,
): Promise<MailAnswer> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure,
    // A password is not sent in the clear over a network.
    requireTLS: login !== null && !LOOPBACK.has(host),
    connectionTimeout: msMax,
    greetingTimeout: msMax,
    socketTimeout: msMax,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
  });
  const late = AbortSignal.timeout(msMax);
  const ended = new Promise<MailAnswer>((resolve) =>
    late.addEventListener('abort', () => resolve({ kind: 'late' }), { once: true }),
  );
  const sent = transport.sendMail({ from, to: [...to], subject, text }).then(
    (): MailAnswer => ({ kind: 'sent' }),
    (error: unknown): MailAnswer => ({
      kind: 'failed',
      message: error instanceof Error ? error.message : String(error),
    }),
  );
  try {
    return await Promise.race([sent, ended]);
  } finally {
    transport.close();
  }
}
