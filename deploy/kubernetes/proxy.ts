// The configuration of HAProxy, which stands for an ingress controller and leads to the servers next to the cluster.

interface ProxyOptions {
  ip: string;
  /** Services, by host. */
  services: Record<string, string>;
  /** A folder with a file for each host. */
  certificates: string;
  /** Ports of this machine, by the port that pods use. */
  servers: Record<number, string>;
}

export const proxyConfig = ({ ip, services, certificates, servers }: ProxyOptions): string => `global
    maxconn 4000

defaults
    log stdout format raw local0
    option httplog
    # Errors only
    option dontlog-normal
    timeout connect 2s
    retries 3
    # If a connection fails, nothing was sent: ask again.
    retry-on conn-failure
    default-server init-addr none resolvers cluster resolve-prefer ipv4

resolvers cluster
    nameserver cluster ${ip}:53
    timeout retry 200ms
    hold nx 200ms
    hold refused 200ms

frontend https
    mode http
    bind ${ip}:443 ssl crt ${certificates} alpn h2,http/1.1
    option http-no-delay
    timeout client 75s
    # Visitors name their own IP address in it.
    option forwardfor
    http-request set-header X-Forwarded-Proto https
    use_backend %[req.hdr(host),host_only,lower]
${Object.entries(services)
  .map(
    ([host, service]) => `
backend ${host}
    mode http
    timeout server 75s
    server service ${service}
`,
  )
  .join('')}${Object.entries(servers)
  .map(
    ([port, target]) => `
listen server-${port}
    mode tcp
    option tcplog
    bind ${ip}:${port}
    timeout client 24h
    timeout server 24h
    server here 127.0.0.1:${target}
`,
  )
  .join('')}`;
