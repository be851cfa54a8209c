import { isIP } from 'node:net';
import { generate } from 'selfsigned';

export interface ServerCertificate {
  /** The authority that signed it, to be trusted by the client. */
  authority: string;
  key: string;
  cert: string;
}

const EC = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

const altName = (name: string) =>
  isIP(name) === 0 ? ({ type: 2, value: name } as const) : ({ type: 7, ip: name } as const);

/** A certificate for these host names and addresses, signed by an authority of its own that lives as long as the test. */
export async function certificateFor(
  names: string[],
  validity: { notBeforeDate?: Date; notAfterDate?: Date } = {},
): Promise<ServerCertificate> {
  const authority = await generate([{ name: 'commonName', value: 'grantbridge test authority' }], {
    ...EC,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    ...EC,
    ...validity,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: names.map(altName) },
    ],
  });
  return { authority: authority.cert, key: server.private, cert: server.cert };
}
