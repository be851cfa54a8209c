import type { Presentation } from './checker/history.ts';
import { watchPresentations } from './checker/presentations.ts';
import { type FaultProxy, startFaultProxy } from './faults/fault-proxy.ts';
import { type Recorder, startRecorder } from './recorder.ts';

/** The way from the bridges to the modern side: what leaves is seen, goes wrong, and is seen again where it arrives. */
export interface Network {
  proxy: FaultProxy;
  recorder: Recorder;
  presentations: Presentation[];
}

/** On loopback: where the network begins, where the recorder stands, and where the modern side listens. */
interface NetworkPorts {
  network: number;
  recorder: number;
  modern: number;
}

export async function layNetwork(ports: NetworkPorts): Promise<Network> {
  const proxy = await startFaultProxy(ports.network, ports.recorder);
  const presentations: Presentation[] = [];
  proxy.onRequestBytes = watchPresentations(presentations);
  const modern = `http://127.0.0.1:${ports.modern}`;
  const recorder = await startRecorder(ports.recorder, modern, (port) => proxy.crossingOf(port));
  return { proxy, recorder, presentations };
}
