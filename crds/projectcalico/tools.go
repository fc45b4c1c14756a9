// Package projectcalico pins the packages whose types become schemas, so that `go mod tidy` keeps them.
package projectcalico

import (
	_ "github.com/tigera/api/pkg/apis/projectcalico/v3"
	_ "sigs.k8s.io/network-policy-api/apis/v1alpha2"
)
