/** A program of its own: the gateway of one attempt. `GatewayProcesses` starts it. */
import { machineNetwork } from '../../gateway/network/machine-network.ts';
import { runGatewayProcess } from '../../gateway/process/run-gateway-process.ts';
import { systemClock } from '../../host/machine/system-clock.ts';

await runGatewayProcess({
  clock: systemClock,
  network: machineNetwork,
  // Loaded with the first call that is recorded: it is half of what this process would have to load.
  createRedactor: (secrets) => {
    let loaded: Promise<{ redact(text: string): Promise<string> }> | undefined;
    return async (text) => {
      loaded ??= import('../../redaction/redactor.ts').then(
        ({ Redactor }) => new Redactor(secrets),
      );
      return (await loaded).redact(text);
    };
  },
});
