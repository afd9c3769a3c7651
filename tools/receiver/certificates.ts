import { generate } from 'selfsigned';

/** A certificate authority for tests, and the certificates it issues. */
export async function anAuthority(name: string) {
  const ca = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const certify = async (host: string, { notAfterDate }: { notAfterDate?: Date } = {}) => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: host }], {
      keyType: 'ec',
      algorithm: 'sha256',
      ca: { key: ca.private, cert: ca.cert },
      ...(notAfterDate && { notBeforeDate: new Date(0), notAfterDate }),
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
      ],
    });
    return { cert, key };
  };
  return { pem: ca.cert, certify };
}
