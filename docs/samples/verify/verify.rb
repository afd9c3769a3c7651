# A webhook endpoint for Parley. Start it with: SECRETS=whsec_… PORT=8080 ruby verify.rb
# Since Ruby 3.0, WEBrick is a separate gem: gem install webrick
require "json"
require "openssl"
require "webrick"

SECRETS = ENV.fetch("SECRETS", "").split(",").reject(&:empty?) # both, during a rotation
abort "Set SECRETS to the secret of your endpoint." if SECRETS.empty?

TOLERANCE_SECONDS = 300
MAX_BYTES = 1024 * 1024

# Only the body is signed, so these headers must match it.
FIELD_OF = {
  "Idempotency-Key" => "id",
  "X-Service-Event" => "type",
  "X-Service-Tenant-Id" => "tenantId",
  "X-Service-Environment-Id" => "environmentId", # null if the event has no environment
  "X-Service-Action-Id" => "actionId"
}.freeze

# Compares every secret with every signature, in constant time, so that the duration reveals nothing.
def signed?(request, body)
  given = request["X-Service-Signature"].to_s.split(",").grep(/\Av1=\h{64}\z/)
  expected = SECRETS.map { |secret| "v1=" + OpenSSL::HMAC.hexdigest("SHA256", secret, "#{request["X-Service-Timestamp"]}.".b + body) }
  given.product(expected).map { |one, other| OpenSSL.fixed_length_secure_compare(one, other) }.any?
end

def recent?(timestamp)
  timestamp.match?(/\A\d{10,11}\z/) && (Time.now.to_f - timestamp.to_i).abs <= TOLERANCE_SECONDS
end

def respond(request, body)
  return [401, "bad signature"] unless signed?(request, body)
  return [401, "timestamp too old or in the future"] unless recent?(request["X-Service-Timestamp"].to_s)

  event = JSON.parse(body.dup.force_encoding("UTF-8"))
  return [400, "not an event"] unless event.is_a?(Hash)

  FIELD_OF.each do |header, field|
    return [401, "#{header} differs from the body"] unless event[field].nil? || request[header].to_s == event[field].to_s
  end
  # Handle the event here. It can be delivered more than once: process each event["id"] once.
  puts "#{event["type"]} #{event["id"]}"
  [200, "ok"]
rescue JSON::ParserError
  [400, "not JSON"]
end

$stdout.sync = true
server = WEBrick::HTTPServer.new(Port: ENV.fetch("PORT", 8080).to_i, AccessLog: [], Logger: WEBrick::Log.new(nil, 0))
server.mount_proc("/") do |request, response|
  # The raw bytes: parsing and serializing the JSON again would change the signature.
  body = request["Content-Length"].to_i <= MAX_BYTES ? request.body.to_s.b : ""
  response.status, response.body = respond(request, body)
  response["Content-Type"] = "text/plain"
end
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start
