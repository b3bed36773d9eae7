export type Terminal = {
  readonly isTty: boolean;
  /** Columns to write in. 80 if it is unknown. */
  readonly width: number;
  /** Lines of the screen. Absent if it is unknown. */
  readonly height?: number;
  readonly colour: boolean;
};

type Environment = Readonly<Record<string, string | undefined>>;

const WIDTH = 80;

/** The capabilities of an output stream, with the preferences of the environment. */
export function readTerminal(
  stream: { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number },
  env: Environment,
): Terminal {
  const isTty = stream.isTTY === true;
  const columns = Number(stream.columns ?? env['COLUMNS']);
  return {
    isTty,
    width: Number.isInteger(columns) && columns > 0 ? columns : WIDTH,
    ...(isTty && (stream.rows ?? 0) > 0 ? { height: Number(stream.rows) } : {}),
    colour: wantsColour(isTty, env),
  };
}

/** NO_COLOR (no-color.org) overrides FORCE_COLOR, which overrides the capabilities of the terminal. */
function wantsColour(isTty: boolean, env: Environment): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = env;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return isTty && term !== 'dumb';
}
