package telemetry

import (
	"strings"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// IsSampler reports whether there is a sampler of this name. One whose name begins with
// parentbased_ does what the traceparent of a caller says, if there is one.
func IsSampler(name string) bool {
	switch strings.TrimPrefix(name, parentBased) {
	case "always_on", "always_off", "traceidratio":
		return true
	}
	return false
}

const parentBased = "parentbased_"

// samplerNamed returns a sampler by its name.
func samplerNamed(name string, ratio float64) sdk.Sampler {
	var sampler sdk.Sampler
	root, follows := strings.CutPrefix(name, parentBased)
	switch root {
	case "always_off":
		sampler = sdk.NeverSample()
	case "traceidratio":
		sampler = sdk.TraceIDRatioBased(ratio)
	default:
		sampler = sdk.AlwaysSample()
	}
	if follows {
		return sdk.ParentBased(sampler)
	}
	return sampler
}
